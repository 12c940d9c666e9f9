"""A host without agents: its sessions are records, and their turns end when a test says so.

It is what a host has to do for a catalogue, written as plainly as it can be: make or wake
the session, link it, begin its turn, and say what became of that.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from wakeful.catalogue import Catalogue, ErrorInfo, KnownSession, Start, Steer
from wakeful.catalogue.definitions import SessionTemplate
from wakeful.catalogue.turns import TurnOutcome
from wakeful.model.events import EventKind, Facts, SessionEvent, TurnStarted

if TYPE_CHECKING:
    from wakeful.model.time import Instant

_ENDINGS: dict[TurnOutcome, EventKind] = {
    "completed": "turnCompleted",
    "failed": "turnFailed",
    "cancelled": "turnCancelled",
}

Envelope: TypeAlias = Mapping[str, Any]


@attrs.define
class InMemorySession:
    """A session.

    Attributes:
        origin: What it says of where it comes from, where a run started it.
        messages: What it was sent, oldest first.
        running: Whether a turn runs in its default chat.
    """

    uri: str
    owner: str | None = None
    origin: Mapping[str, Any] | None = None
    messages: list[str] = attrs.field(factory=list)
    running: bool = False

    @property
    def chat(self) -> str:
        """Its default chat."""
        return f"{self.uri}#main"

    @property
    def facts(self) -> Facts:
        """What the rules may know of it."""
        return Facts(owner=self.owner, automated=self.origin is not None)


class InMemoryHost:
    """Implements :class:`~wakeful.catalogue.Host` and :class:`~wakeful.catalogue.Knowledge`.

    Args:
        at_once: Whether a run's session is opened inside of the catalogue's call, as a very
            quick host would; else :meth:`open_sessions` does.

    Attributes:
        catalogue: Whose host it is; to be set once it is made.
        at: The host's clock, which the test moves.
        asked: The runs whose session is asked for and not opened yet.
        steered: The messages it was asked to steer.
        inboxes: What each client was told and has not read.
        broken: Why sessions cannot be made of a provider, by provider.
        hidden_types: Plugin types that discovery leaves out.
        gone: Clients whose connection breaks when they are told something.

    >>> host = InMemoryHost()
    >>> host.catalogue = Catalogue(host, at=0)
    >>> sorted(host.catalogue.initialize())
    ['_meta', 'automations']
    """

    catalogue: Catalogue

    def __init__(self, *, at_once: bool = False) -> None:
        self.at: Instant = 0
        self.at_once = at_once
        self.asked: list[Start] = []
        self.steered: list[Steer] = []
        self.cancelled: list[tuple[str, str]] = []
        self.sessions: dict[str, InMemorySession] = {}
        self.inboxes: dict[str, list[Envelope]] = {}
        self.broken: dict[str, str] = {}
        self.hidden_types: set[str] = set()
        self.gone: set[str] = set()
        self._made = 0

    # What the catalogue asks for

    def start(self, start: Start) -> None:
        """Begin a run, at once or when the test says so."""
        self.asked.append(start)
        if self.at_once:
            self.open_sessions()

    def steer(self, steer: Steer) -> None:
        """Send a message into a running turn; without one it was not delivered."""
        session = self.sessions.get(steer.session)
        if session is None or not session.running:
            raise LookupError(f"no turn is running in {steer.session}")
        session.messages.append(steer.message)
        self.steered.append(steer)

    def cancel(self, run: str, session: str) -> None:
        """Note that turns are to be stopped; the test ends them."""
        self.cancelled.append((run, session))

    def tell(self, client: str, envelope: Envelope) -> None:
        """Put an envelope where the client's next :meth:`read` finds it."""
        if client in self.gone:
            raise ConnectionResetError(client)
        self.inboxes.setdefault(client, []).append(envelope)

    # What it knows

    def refuse(self, template: SessionTemplate, owner: str | None) -> ErrorInfo | None:  # noqa: ARG002
        """Refuse the providers that are :attr:`broken`."""
        reason = self.broken.get(template.provider or "")
        return None if reason is None else ErrorInfo(error_type="provider", message=reason)

    def find_session(self, session: str) -> KnownSession | None:
        """A session, or that it is gone."""
        found = self.sessions.get(session)
        return None if found is None else KnownSession(session=session, owner=found.owner)

    def narrow(
        self,
        definitions: Sequence[Mapping[str, Any]],
        asked: Mapping[str, Any],  # noqa: ARG002
    ) -> Sequence[Mapping[str, Any]]:
        """Leave out the :attr:`hidden_types`."""
        return [each for each in definitions if each["type"] not in self.hidden_types]

    # What happens

    def read(self, client: str) -> list[Envelope]:
        """What a client was told since it last read."""
        return self.inboxes.pop(client, [])

    def open_sessions(self) -> list[InMemorySession]:
        """Make or wake the session of every run that was asked for, and begin its turn."""
        asked, self.asked = self.asked, []
        opened = []
        for start in asked:
            session = self.sessions.get(start.session or "")
            if session is None:
                origin = {"automation": start.origin.automation, "run": start.origin.run}
                session = self.new_session(owner=start.owner, origin=origin)
            wanted = self.catalogue.session_linked(
                start.run, session.uri, default_chat=session.chat, at=self.at
            )
            if wanted:
                session.messages.append(start.message["text"])
                self.begin_turn(session.uri)
                opened.append(session)
        return opened

    def new_session(
        self, *, owner: str | None = None, origin: Mapping[str, Any] | None = None
    ) -> InMemorySession:
        """A session, of a person's own where it has no origin."""
        self._made += 1
        session = InMemorySession(f"ahp-session:/{self._made}", owner, origin)
        self.sessions[session.uri] = session
        return session

    def begin_turn(self, uri: str, chat: str | None = None) -> None:
        """A turn begins in a session: in its default chat, or in a side chat."""
        session = self.sessions[uri]
        if chat is None:
            session.running = True
            self.catalogue.feed(TurnStarted(uri, self.at, session.facts))
        self.catalogue.turn_started(uri, chat or session.chat, at=self.at)

    def end_turn(
        self,
        uri: str,
        outcome: TurnOutcome = "completed",
        *,
        chat: str | None = None,
        error: ErrorInfo | None = None,
    ) -> None:
        """A turn ends in a session: first the rules hear of it, then its run."""
        session = self.sessions[uri]
        if chat is None:
            session.running = False
            for kind in (_ENDINGS[outcome], "idle"):
                self.happen(uri, kind)
        self.catalogue.turn_ended(uri, chat or session.chat, outcome, at=self.at, error=error)

    def happen(self, uri: str, kind: EventKind) -> None:
        """Something happens in a session, as the rules see it."""
        session = self.sessions[uri]
        event = SessionEvent(kind, uri, self.at, session.facts, running=session.running)
        self.catalogue.feed(event)

    def remove_session(self, uri: str) -> None:
        """A session is disposed of."""
        del self.sessions[uri]
        self.catalogue.session_removed(uri, at=self.at)
