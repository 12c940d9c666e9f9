"""The catalogue: the host's side of the automation channels, without a transport.

Three kinds of callers meet here. Clients come through :meth:`Catalogue.request` and
:meth:`Catalogue.dispatch`, with the connection that the host vouches for. The host tells
what happens: inputs for the rules (:meth:`Catalogue.feed`, :meth:`Catalogue.advance`), and
what becomes of runs (``session_linked``, ``turn_ended`` and their like). And the engine,
which is fed both and whose decisions are carried out through :class:`Host`.

Instants are handed in; nothing here reads a clock, waits, or draws a random number.
"""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import attrs

from wakeful.catalogue import names, refusals
from wakeful.catalogue.broadcasting import Broadcast
from wakeful.catalogue.commands import Commands
from wakeful.catalogue.converting import read, write
from wakeful.catalogue.drafts import Drafts, pinned_session
from wakeful.catalogue.entries import Entries
from wakeful.catalogue.executions import Executions
from wakeful.catalogue.grants import Access, GrantAccess
from wakeful.catalogue.host import EverythingGoes, Host, Knowledge, Steer
from wakeful.catalogue.ledger import Ending, Ledger
from wakeful.catalogue.lifecycles import ErrorInfo
from wakeful.catalogue.options import Options
from wakeful.catalogue.parameters import DispatchParams
from wakeful.catalogue.requests import Requests
from wakeful.catalogue.store import MemoryStore, Store
from wakeful.catalogue.turns import TurnOutcome
from wakeful.core.engine import Engine
from wakeful.core.sight import GrantSight
from wakeful.errors import InputRefusedError, InvalidError
from wakeful.model.events import (
    Activity,
    GrantsChanged,
    PluginEvent,
    Resumed,
    SessionEnded,
    SessionEvent,
    Tick,
    TurnStarted,
    TypeRegistered,
    TypeRemoved,
)
from wakeful.model.limits import Limits
from wakeful.model.outputs import Output
from wakeful.model.time import Instant
from wakeful.plugins import TypeRegistry

HostInput: TypeAlias = (
    SessionEvent
    | TurnStarted
    | Activity
    | SessionEnded
    | PluginEvent
    | TypeRegistered
    | TypeRemoved
    | GrantsChanged
    | Resumed
    | Tick
)
"""What a host may feed. Definitions, presses and runs are the catalogue's own to feed."""

_FEEDS: Final = frozenset(
    {
        SessionEvent,
        TurnStarted,
        Activity,
        SessionEnded,
        PluginEvent,
        TypeRegistered,
        TypeRemoved,
        GrantsChanged,
        Resumed,
        Tick,
    }
)


class Catalogue:
    """Automations, their runs, and everybody who watches them.

    Every public method is one step: when it returns, all that came of it is recorded, told
    and asked for.

    Args:
        host: Carries out; see :class:`Host`.
        at: Now.
        store: Where automations are kept; in memory where left out.
        knowledge: What only the host knows.
        access: Who may do what; by grants where left out, which are fed by
            ``GrantsChanged``.
        sight: Where those grants are kept: hand it in to share it with an ``access``.
        types: The plugin types that are registered; more come by ``TypeRegistered``.

    Raises:
        InvalidError: An automation that was kept cannot be meant.
    """

    def __init__(  # noqa: PLR0913 - all but the host are named
        self,
        host: Host,
        *,
        at: Instant,
        store: Store | None = None,
        knowledge: Knowledge | None = None,
        access: Access | None = None,
        sight: GrantSight | None = None,
        types: TypeRegistry | None = None,
        options: Options | None = None,
    ) -> None:
        options = Options() if options is None else options
        self._capabilities = options.capabilities
        self._store: Store = MemoryStore() if store is None else store
        knowledge = EverythingGoes() if knowledge is None else knowledge
        limit = options.capabilities.run_history_limit
        settings = options.settings
        if limit is not None:
            settings = attrs.evolve(settings, runs_kept=limit)
        sight = (
            GrantSight(unowned=settings.unowned, unmet=settings.unmet) if sight is None else sight
        )
        access = GrantAccess(sight) if access is None else access
        types = TypeRegistry() if types is None else types
        self._broadcast = Broadcast(
            host.tell, access, first=options.first_seq, kept=options.replayed
        )
        self._ledger = Ledger(limit=settings.runs_kept)
        self._drafts = Drafts(types, access, options.capabilities, settings.limits)
        self._entries = Entries(
            store=self._store, types=types, ledger=self._ledger, broadcast=self._broadcast
        )
        kept = () if self._store.fault is not None else tuple(self._store.load())
        loaded = [(each, self._drafts.kept(each.resource, each.definition)) for each in kept]
        self._engine = Engine(
            self._entries.load(loaded),
            at=at,
            settings=settings,
            sight=sight,
            types=types,
            occurrences={
                (each.resource, trigger): due
                for each in kept
                for trigger, due in each.progress.occurrences.items()
            },
        )
        self._executions = Executions(
            engine=self._engine,
            host=host,
            knowledge=knowledge,
            access=access,
            entries=self._entries,
            ledger=self._ledger,
            broadcast=self._broadcast,
            name_run=options.name_run,
        )
        self._requests = Requests(
            access=access,
            capabilities=options.capabilities,
            drafts=self._drafts,
            entries=self._entries,
            executions=self._executions,
            ledger=self._ledger,
            broadcast=self._broadcast,
        )
        self._commands = Commands(
            access=access,
            knowledge=knowledge,
            types=types,
            entries=self._entries,
            executions=self._executions,
            ledger=self._ledger,
            broadcast=self._broadcast,
        )
        self._entries.begin(self._engine)

    @property
    def limits(self) -> Limits:
        """How much is taken of what clients send; those of the engine's settings."""
        return self._engine.settings.limits

    # Connections

    def initialize(self) -> dict[str, Any]:
        """The catalogue's part of the result of ``initialize``, for the host to merge.

        Without a store that can be read there is no catalogue, and nothing to say of it.
        """
        if self._store.fault is not None:
            return {}
        return {
            "automations": write(self._capabilities),
            "_meta": {names.TEMPLATE_NOTE: names.CATALOGUE_TEMPLATE},
        }

    def connect(self, client: str, principal: str | None = None) -> None:
        """A client is there, and the host vouches for who it is.

        Args:
            client: The connection's id, as its actions' origin shows it.
            principal: As ``user:ann`` or ``plugin:ci``; ``None`` for nobody in particular.
        """
        self._broadcast.connect(client, principal)

    def disconnect(self, client: str) -> None:
        """A client is gone; its subscriptions end."""
        self._broadcast.disconnect(client)

    def request(self, client: str, method: str, params: Any, *, at: Instant) -> dict[str, Any]:
        """Answer a command; what it changes is told before this returns.

        Returns:
            The result: plain data that is shared and is not to be changed.

        Raises:
            RefusedError: With the JSON-RPC code and the words for why not.
            LookupError: The client was never connected.
        """
        if method == names.INITIALIZE:
            return self.initialize()
        self._advance(at)
        try:
            return self._commands.answer(client, method, params, self._at(at), self._fault)
        finally:
            self._executions.ask()

    def dispatch(self, client: str, params: Any, *, at: Instant) -> bool:
        """Take an action that a client dispatches; the answer is an envelope.

        Args:
            client: The connection.
            params: ``{channel, clientSeq, action}``, as the client sent it.
            at: Now.

        Returns:
            Whether it could be answered at all: what is so mangled that no envelope can
            be made of it is left alone.
        """
        self._broadcast.principal_of(client)
        try:
            asked = read(DispatchParams, params)
        except InvalidError:
            return False
        if not isinstance(asked.action.get("type"), str):
            return False
        self._advance(at)
        self._requests.dispatch(client, asked, self._at(at), self._fault)
        self._executions.ask()
        return True

    # What the host says

    def feed(self, item: HostInput) -> list[Output]:
        """Give the engine an input, and carry out what comes of it.

        Returns:
            What the engine gave, for a log: drops and their reasons among it.

        Raises:
            InputRefusedError: It is none of a host's inputs, or the engine refuses it.
        """
        if type(item) not in _FEEDS:
            raise InputRefusedError(
                f"{type(item).__name__} is the catalogue's own to feed, or no input at all"
            )
        outputs = self._engine.feed(item)
        if isinstance(item, Resumed) and item.live is not None:
            # Before what the engine releases, now that these runs are over.
            self._executions.interrupt(item.live)
        self._executions.take(outputs)
        if isinstance(item, TypeRegistered):
            self._type_changed(item.definition.type, item.at)
        elif isinstance(item, TypeRemoved):
            self._type_changed(item.type, item.at)
        self._executions.ask()
        return outputs

    def advance(self, instant: Instant) -> list[Output]:
        """Let time pass, and carry out what fell due; see ``Engine.advance``."""
        outputs = self._advance(instant)
        self._executions.ask()
        return outputs

    @property
    def next_deadline(self) -> Instant | None:
        """When :meth:`advance` may next have something to do; early, never late."""
        return self._engine.next_deadline

    def save_definition(self, resource: str, definition: Mapping[str, Any], *, at: Instant) -> None:
        """Write an automation as the host itself: a file that was edited, an import.

        Everybody is told as if a client had written it.

        Raises:
            InvalidError: With every problem; what runs goes on as it was.
            RefusedError: The store cannot keep it.
        """
        if not resource.startswith(names.AUTOMATION_SCHEME):
            raise refusals.wrong_scheme(resource)
        there = self._entries.find(resource)
        chat = None if there is None else pinned_session(there.definition)
        draft = self._drafts.own(resource, definition, chat=chat, at=at)
        self._advance(at)
        self._executions.take(self._entries.save(draft, at=self._at(at), asking=None, action={}))
        self._executions.ask()

    def remove_definition(self, resource: str, *, at: Instant) -> bool:
        """Take an automation out as the host itself; whether there was one."""
        entry = self._entries.find(resource)
        if entry is None:
            return False
        self._advance(at)
        action = {"type": names.REMOVED, "resource": resource}
        self._executions.take(
            self._entries.remove(entry, at=self._at(at), asking=None, action=action)
        )
        self._executions.ask()
        return True

    # What becomes of runs

    def session_linked(self, run: str, session: str, *, default_chat: str, at: Instant) -> bool:
        """A session belongs to a run. To be told before the session does anything.

        Args:
            run: The run.
            session: Its session; a run may get several.
            default_chat: The chat whose turns are the run's; side chats settle nothing.
            at: Now.

        Returns:
            Whether to go on: ``False`` where the run is over, and no message is wanted.
        """
        self._advance(at)
        wanted = self._executions.link(run, session, default_chat, self._at(at))
        self._executions.ask()
        return wanted

    def primary_session(self, run: str, session: str | None, *, at: Instant) -> None:
        """Another of a run's sessions is the first to look at, or none is."""
        self._advance(at)
        self._executions.make_primary(run, session)
        self._executions.ask()

    def run_failed(self, run: str, error: ErrorInfo, *, at: Instant) -> None:
        """A run's session could not be made, or the run cannot go on."""
        self._advance(at)
        self._executions.fail(run, error)
        self._executions.ask()

    def turn_started(self, session: str, chat: str, *, at: Instant) -> None:
        """A turn began in a chat. For the rules, feed a ``TurnStarted`` too."""
        self._advance(at)
        self._executions.start_turn(session, chat)
        self._executions.ask()

    def turn_ended(  # noqa: PLR0913 - named, and half of them are there rarely
        self,
        session: str,
        chat: str,
        outcome: TurnOutcome,
        *,
        at: Instant,
        error: ErrorInfo | None = None,
        usage: Mapping[str, Any] | None = None,
    ) -> None:
        """A turn ended in a chat. For the rules, feed the event first.

        Args:
            session: Where.
            chat: In which chat of it.
            outcome: How.
            at: Now.
            error: The chat's own error, of a turn that failed.
            usage: What it used, of a turn that completed.
        """
        self._advance(at)
        self._executions.end_turn(session, chat, Ending(outcome=outcome, error=error, usage=usage))
        self._executions.ask()

    def session_removed(self, session: str, *, at: Instant) -> None:
        """A session was disposed of. The engine hears of it by this."""
        self._advance(at)
        self._executions.remove_session(session, self._at(at))
        self._executions.ask()

    def steer_failed(self, steer: Steer, *, at: Instant) -> None:
        """A message could not be sent into the turn that was running."""
        self._advance(at)
        self._executions.steer_failed(steer, self._at(at))
        self._executions.ask()

    # Inside

    @property
    def _fault(self) -> str | None:
        return self._store.fault

    def _advance(self, instant: Instant) -> list[Output]:
        outputs = self._engine.advance(instant)
        self._executions.take(outputs)
        return outputs

    def _at(self, at: Instant) -> Instant:
        """Now, where the clock did not step back: then the engine's instant."""
        return max(at, self._engine.now or at)

    def _type_changed(self, type_: str, at: Instant) -> None:
        self._executions.take(self._entries.type_changed(type_, at=self._at(at)))
