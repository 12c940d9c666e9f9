"""Channels by their URIs: which one a client means, and whether it is only its own part of it."""

from typing import TypeAlias

import attrs

from wakeful.catalogue import names
from wakeful.catalogue.refusals import INVALID_PARAMS, RefusedError


@attrs.frozen
class CatalogueChannel:
    """The catalogue: all of it, or the entries that the connection's principal owns."""

    own: bool = False


@attrs.frozen
class RunChannel:
    """One run."""

    run: str


Channel: TypeAlias = CatalogueChannel | RunChannel


def read_channel(uri: str) -> Channel:
    """The channel of a URI.

    Raises:
        RefusedError: It is none of the automation channels, or filters by something else
            than ``owner=me``; with the code of a wrong parameter.

    >>> read_channel("ahp-automations://?owner=me")
    CatalogueChannel(own=True)
    """
    if uri == names.CATALOGUE:
        return CatalogueChannel()
    if uri == names.OWN_CATALOGUE:
        return CatalogueChannel(own=True)
    if uri.startswith(names.RUN_SCHEME) and len(uri) > len(names.RUN_SCHEME):
        return RunChannel(uri)
    expected = f"{names.CATALOGUE}, {names.OWN_CATALOGUE} or a URI of {names.RUN_SCHEME}"
    raise RefusedError(f"channel: {uri!r} is not {expected}", INVALID_PARAMS)
