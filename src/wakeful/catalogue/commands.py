"""The commands of the two channels: parameters in, a result or a refusal out.

A grant is asked before the parameters are looked at; then the parameters, where everything
that is wrong is told under the code of wrong parameters.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from wakeful.catalogue import grants, names, refusals
from wakeful.catalogue.broadcasting import Broadcast
from wakeful.catalogue.channels import CatalogueChannel, read_channel
from wakeful.catalogue.converting import read, write
from wakeful.catalogue.drafts import problems_in_words
from wakeful.catalogue.entries import Entries
from wakeful.catalogue.executions import Executions
from wakeful.catalogue.grants import Access
from wakeful.catalogue.host import Knowledge
from wakeful.catalogue.ledger import Ledger
from wakeful.catalogue.parameters import (
    ChannelParams,
    DiscoveryParams,
    FetchParams,
    ReconnectParams,
    RunParams,
)
from wakeful.errors import InvalidError
from wakeful.model.time import Instant
from wakeful.plugins import TypeRegistry, completions, list_trigger_definitions

T = TypeVar("T")

_OWN_TYPES: Final = 2
"""How many of discovery's first types are this library's own, and not the host's to narrow."""

GRANT_OF: Final[Mapping[str, str]] = {
    names.SUBSCRIBE: grants.LIST,
    names.RECONNECT: grants.LIST,
    names.LIST_TRIGGER_DEFINITIONS: grants.LIST,
    names.FETCH_RUNS: grants.LIST,
    names.COMPLETIONS: grants.LIST,
    names.RUN_AUTOMATION: grants.RUN,
}
"""What each command asks for. Unsubscribing asks for nothing."""


class Commands:
    """Answers commands."""

    def __init__(  # noqa: PLR0913 - the parts of a catalogue, by name
        self,
        *,
        access: Access,
        knowledge: Knowledge,
        types: TypeRegistry,
        entries: Entries,
        executions: Executions,
        ledger: Ledger,
        broadcast: Broadcast,
    ) -> None:
        self._access = access
        self._knowledge = knowledge
        self._types = types
        self._entries = entries
        self._executions = executions
        self._ledger = ledger
        self._broadcast = broadcast
        self._handlers: Mapping[str, Callable[[str, Any, Instant], dict[str, Any]]] = {
            names.SUBSCRIBE: self._subscribe,
            names.UNSUBSCRIBE: self._unsubscribe,
            names.RECONNECT: self._reconnect,
            names.LIST_TRIGGER_DEFINITIONS: self._discover,
            names.RUN_AUTOMATION: self._run,
            names.FETCH_RUNS: self._fetch,
            names.COMPLETIONS: self._complete,
        }

    def answer(
        self, client: str, method: str, params: Any, at: Instant, fault: str | None
    ) -> dict[str, Any]:
        """A command's result.

        Raises:
            RefusedError: With the code and the words for why not.
        """
        handler = self._handlers.get(method)
        if handler is None:
            raise refusals.unknown_method(method)
        grant = GRANT_OF.get(method)
        principal = self._broadcast.principal_of(client)
        if grant is not None and not self._access.allows(principal, grant):
            raise refusals.not_granted(grant)
        if fault is not None:
            raise refusals.RefusedError(fault)
        return handler(client, params, at)

    # Subscriptions

    def _subscribe(self, client: str, params: Any, _at: Instant) -> dict[str, Any]:
        uri = _params(ChannelParams, params).channel
        snapshot = self._snapshot(client, uri)
        if snapshot is None:
            raise refusals.run_not_found(uri)
        self._broadcast.subscribe(client, uri)
        return {"snapshot": snapshot}

    def _unsubscribe(self, client: str, params: Any, _at: Instant) -> dict[str, Any]:
        self._broadcast.unsubscribe(client, _params(ChannelParams, params).channel)
        return {}

    def _reconnect(self, client: str, params: Any, _at: Instant) -> dict[str, Any]:
        """What was missed where that is remembered, else every snapshot anew."""
        asked = _params(ReconnectParams, params)
        uris = tuple(dict.fromkeys(asked.subscriptions))
        snapshots = {uri: self._snapshot(client, uri) for uri in uris}
        there = [uri for uri, snapshot in snapshots.items() if snapshot is not None]
        missing = [uri for uri in uris if uri not in there]
        seen = asked.last_seen_server_seq
        for uri in there:
            self._broadcast.subscribe(client, uri)
        if self._broadcast.remembers(seen):
            # A run that is kept no longer still had an end, which was told.
            actions = self._broadcast.missed(client, uris, seen)
            return {"type": "replay", "actions": actions, "missing": missing}
        return {
            "type": "snapshot",
            "snapshots": [snapshots[uri] for uri in there],
            "missing": missing,
        }

    def _snapshot(self, client: str, uri: str) -> dict[str, Any] | None:
        channel = read_channel(uri)
        if isinstance(channel, CatalogueChannel):
            principal = self._broadcast.principal_of(client)
            state = self._entries.snapshot(principal, own=channel.own)
        else:
            run = self._ledger.find(channel.run)
            if run is None:
                return None
            state = write(run.state())
        return {"resource": uri, "state": state, "fromSeq": self._broadcast.number}

    # Automations

    def _discover(self, _client: str, params: Any, _at: Instant) -> dict[str, Any]:
        asked = _params(DiscoveryParams, params)
        _on(asked.channel, names.ROOT)
        all_ = list_trigger_definitions(self._types)
        context = {key: value for key, value in write(asked).items() if key != "channel"}
        own, plugins = all_[:_OWN_TYPES], all_[_OWN_TYPES:]
        return {"items": [*own, *self._knowledge.narrow(plugins, context)]}

    def _run(self, _client: str, params: Any, at: Instant) -> dict[str, Any]:
        asked = _params(RunParams, params)
        _on(asked.channel, names.CATALOGUE)
        return {"resource": self._executions.press(asked.automation, asked.request_id, at)}

    def _fetch(self, _client: str, params: Any, _at: Instant) -> dict[str, Any]:
        asked = _params(FetchParams, params)
        _on(asked.channel, names.CATALOGUE)
        entry = self._entries.find(asked.automation)
        if entry is None or entry.state is None:
            raise refusals.not_found(asked.automation)
        cursor = entry.state.runs_next_cursor
        if asked.cursor is not None and asked.cursor != cursor:
            raise refusals.wrong_cursor(asked.cursor)
        if cursor is not None:
            self._entries.show_more(entry)
        return {}

    def _complete(self, client: str, params: Any, _at: Instant) -> dict[str, Any]:
        principal = self._broadcast.principal_of(client)
        try:
            return completions(
                self._types.connectors,
                params if isinstance(params, dict) else {},
                principal=principal,
            )
        except InvalidError as error:
            raise _invalid(error) from None


def _params(cls: type[T], params: Any) -> T:
    try:
        return read(cls, params)
    except InvalidError as error:
        raise _invalid(error) from None


def _invalid(error: InvalidError) -> refusals.RefusedError:
    return refusals.RefusedError(problems_in_words(error.problems), refusals.INVALID_PARAMS)


def _on(channel: str, expected: str) -> None:
    if channel != expected:
        raise refusals.wrong_channel(channel, expected)
