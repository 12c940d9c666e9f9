"""What a host may choose about its catalogue."""

import hashlib

import attrs

from wakeful.catalogue import names
from wakeful.catalogue.capabilities import EVERYTHING, Capabilities
from wakeful.catalogue.executions import NameRun
from wakeful.core.settings import Settings
from wakeful.model.outputs import Decision


def name_run(decision: Decision) -> str:
    """A run's URI, made of what tells its decision apart from every other: it never repeats."""
    told = f"{decision.automation}\n{decision.key}\n{decision.kind}"
    digest = hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=15)
    return f"{names.RUN_SCHEME}/{digest.hexdigest()}"


@attrs.frozen(kw_only=True)
class Options:
    """What a host may choose.

    Attributes:
        capabilities: What it offers.
        settings: The engine's. Its ``runs_kept`` is the history limit, where one is set.
        replayed: How many envelopes are remembered for clients that come back.
        first_seq: The last server sequence that an earlier life of this host used.
        name_run: Makes the URIs of runs.
    """

    capabilities: Capabilities = EVERYTHING
    settings: Settings = attrs.field(factory=Settings)
    replayed: int = 1_024
    first_seq: int = 0
    name_run: NameRun = name_run
