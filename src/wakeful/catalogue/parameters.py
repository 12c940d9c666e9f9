"""What clients send along with commands and actions."""

from typing import Any, Final

import attrs

from wakeful.catalogue.definitions import NOTHING, Plain


@attrs.frozen(kw_only=True)
class ChannelParams:
    """A channel to subscribe to, or to leave."""

    channel: str
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class ReconnectParams:
    """What a client has seen, and what it was subscribed to."""

    last_seen_server_seq: int
    subscriptions: tuple[str, ...]
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class DispatchParams:
    """An action that a client dispatches; ``action`` is read when it is known to be one of ours."""

    channel: str
    client_seq: int
    action: Plain
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class DiscoveryParams:
    """For which session template trigger types are asked for."""

    channel: str
    provider: str | None = None
    working_directories: tuple[str, ...] | None = None
    session_config: Plain | None = None
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class RunParams:
    """Which automation to run; the same request id is the same run."""

    channel: str
    automation: str
    request_id: str
    unknown: Plain = NOTHING


@attrs.frozen(kw_only=True)
class FetchParams:
    """Which automation to show more runs of; the cursor is the entry's own."""

    channel: str
    automation: str
    cursor: str | None = None
    unknown: Plain = NOTHING


PARAMETERS: Final[tuple[type[Any], ...]] = (
    ChannelParams,
    ReconnectParams,
    DispatchParams,
    DiscoveryParams,
    RunParams,
    FetchParams,
)
"""Every record of this module."""
