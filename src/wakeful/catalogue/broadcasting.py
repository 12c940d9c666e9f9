"""Subscriptions, and what is told to them in one order.

Everything that is told has a number, the server sequence, and is remembered for a while,
so that a client that was away gets what it missed; one that was away for longer gets
snapshots. Whom it reaches is asked when it is sent and again when it is replayed:

- a run's actions reach who watches the run;
- a request, a ``set`` and a removal reach every subscriber of the catalogue;
- of those, a request and a ``set`` reach a subscription to a principal's own automations
  only where the automation is its own; a removal, which says no owner, reaches all of them;
- what a client dispatched is always told to that client, and a rejection to nobody else;
- nothing reaches a principal without the grant to list. Its subscription ends there: to go
  on later would leave a gap.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

import attrs

from wakeful.catalogue import grants, names
from wakeful.catalogue.channels import Channel, RunChannel, read_channel
from wakeful.catalogue.grants import Access

Tell: TypeAlias = Callable[[str, Mapping[str, Any]], None]
"""Sends a client an envelope."""

Audience: TypeAlias = Literal["all", "filtered", "client"]
"""Who is told: all; only who filters and is not the owner; only the client that asked."""


@attrs.frozen(kw_only=True)
class Asking:
    """The dispatch that an envelope answers.

    Attributes:
        channel: As the client said it.
        principal: Of its connection then: a client id alone is nobody's proof.
    """

    client: str
    client_seq: int
    channel: str
    principal: str | None


@attrs.frozen(kw_only=True)
class Told:
    """Something that was told, and to whom.

    Attributes:
        run: The run whose channel it is of; ``None`` for the catalogue's.
        owner: The owner of the automation it is about.
        audience: See :data:`Audience`.
    """

    number: int
    action: Mapping[str, Any]
    run: str | None = None
    owner: str | None = None
    audience: Audience = "all"
    asking: Asking | None = None
    reason: str | None = None


@attrs.define
class _Connection:
    principal: str | None
    channels: dict[str, Channel] = attrs.field(factory=dict)


class Broadcast:
    """The connections, their subscriptions, and what they are told.

    Args:
        tell: Sends a client an envelope. One that raises is a connection that is gone.
        access: Asked for the grant to list.
        first: The last number that was used before, by a host that ran before this one.
        kept: How many envelopes are remembered for clients that come back.
    """

    def __init__(self, tell: Tell, access: Access, *, first: int = 0, kept: int = 1_024) -> None:
        self._tell = tell
        self._access = access
        self.number = first
        self._kept = kept
        self._since = first
        self._told: deque[Told] = deque()
        self._connections: dict[str, _Connection] = {}
        self._watchers: dict[str | None, dict[str, None]] = {None: {}}

    # Connections

    def connect(self, client: str, principal: str | None) -> None:
        """A client is there, in place of any connection it had."""
        self.disconnect(client)
        self._connections[client] = _Connection(principal)

    def disconnect(self, client: str) -> None:
        """A client is gone, with its subscriptions."""
        connection = self._connections.pop(client, None)
        if connection is not None:
            for channel in connection.channels.values():
                self._unwatch(client, channel)

    def principal_of(self, client: str) -> str | None:
        """Whose connection it is.

        Raises:
            LookupError: There is no such connection.
        """
        return self._connections[client].principal

    def subscribe(self, client: str, uri: str) -> Channel:
        """Tell a client what happens on a channel, from now on.

        Raises:
            RefusedError: There is no such channel.
        """
        channel = read_channel(uri)
        self._connections[client].channels[uri] = channel
        self._watchers.setdefault(_run_of(channel), {})[client] = None
        return channel

    def unsubscribe(self, client: str, uri: str) -> None:
        """Tell a client no more of a channel; one it is not subscribed to is no fault."""
        connection = self._connections[client]
        channel = connection.channels.pop(uri, None)
        if channel is not None and _run_of(channel) not in map(
            _run_of, connection.channels.values()
        ):
            self._unwatch(client, channel)

    def _unwatch(self, client: str, channel: Channel) -> None:
        run = _run_of(channel)
        watchers = self._watchers.get(run, {})
        watchers.pop(client, None)
        if run is not None and not watchers:
            self._watchers.pop(run, None)

    # Telling

    def tell(  # noqa: PLR0913 - the members of what is told, by name
        self,
        action: Mapping[str, Any],
        *,
        run: str | None = None,
        owner: str | None = None,
        audience: Audience = "all",
        asking: Asking | None = None,
        reason: str | None = None,
    ) -> None:
        """Tell an action to whom it reaches, under the next number. O(subscribers)."""
        self.number += 1
        told = Told(
            number=self.number,
            action=action,
            run=run,
            owner=owner,
            audience=audience,
            asking=asking,
            reason=reason,
        )
        self._told.append(told)
        if len(self._told) > self._kept:
            self._since = self._told.popleft().number
        clients = dict(self._watchers.get(run, ())) if audience != "client" else {}
        if asking is not None:
            clients[asking.client] = None
        for client in clients:
            self._tell_client(client, told)

    def _tell_client(self, client: str, told: Told) -> None:
        connection = self._connections.get(client)
        if connection is None:
            return
        if not self._access.allows(connection.principal, grants.LIST):
            for uri in tuple(connection.channels):
                self.unsubscribe(client, uri)
        for envelope in _envelopes(client, connection.principal, connection.channels, told):
            try:
                self._tell(client, envelope)
            except Exception:  # noqa: BLE001 - one connection that broke stops no other
                self.disconnect(client)
                return

    # Coming back

    def remembers(self, number: int) -> bool:
        """Whether all that was told after a number is still there to be told again."""
        return self._since <= number <= self.number

    def missed(self, client: str, uris: Iterable[str], number: int) -> list[dict[str, Any]]:
        """What a client was told, or should have been, after a number. O(remembered)."""
        principal = self.principal_of(client)
        channels = {uri: read_channel(uri) for uri in uris}
        return [
            envelope
            for told in self._told
            if told.number > number
            for envelope in _envelopes(client, principal, channels, told)
        ]


def _envelopes(
    client: str, principal: str | None, channels: Mapping[str, Channel], told: Told
) -> Iterator[dict[str, Any]]:
    """What of something told reaches a client: one envelope for each subscription it reaches."""
    reached = [uri for uri, channel in channels.items() if _reaches(channel, principal, told)]
    asking = told.asking
    asked = asking is not None and (asking.client, asking.principal) == (client, principal)
    if asked and asking is not None and not reached:
        reached = [asking.channel]
    for uri in reached:
        envelope: dict[str, Any] = {
            "channel": uri,
            "action": told.action,
            "serverSeq": told.number,
        }
        if asking is not None:
            envelope["origin"] = {"clientId": asking.client, "clientSeq": asking.client_seq}
        if told.reason is not None:
            envelope["rejectionReason"] = told.reason
        yield envelope


def _reaches(channel: Channel, principal: str | None, told: Told) -> bool:
    if told.audience == "client":
        return False
    if _run_of(channel) != told.run:
        return False
    if isinstance(channel, RunChannel) or not channel.own:
        return told.audience == "all"
    own = principal is not None and told.owner == principal
    if told.audience == "filtered":
        return not own
    return own or told.action.get("type") == names.REMOVED


def _run_of(channel: Channel) -> str | None:
    return channel.run if isinstance(channel, RunChannel) else None
