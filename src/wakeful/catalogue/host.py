"""What a host does for the catalogue, and what it is asked.

The catalogue decides and records first; then it calls. None of these may wait for what it
sets going: a session takes as long as it takes, and the host tells by
:meth:`Catalogue.session_linked <wakeful.catalogue.Catalogue.session_linked>` or
:meth:`Catalogue.run_failed <wakeful.catalogue.Catalogue.run_failed>` what became of it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import attrs

from wakeful.catalogue.definitions import Plain, SessionTemplate
from wakeful.catalogue.lifecycles import ErrorInfo
from wakeful.catalogue.origins import SessionOrigin


@attrs.frozen(kw_only=True)
class Start:
    """A run to begin.

    Attributes:
        automation: Its automation.
        run: The run's URI.
        owner: Whom it acts as; ``None`` for the host's own work.
        template: What the session is made from.
        message: The session's first message, filled, as the protocol has messages.
        origin: What the session is to say of where it comes from.
        session: The chat that a pinned automation keeps, to be woken and given the next
            turn; ``None``: make a new one.
    """

    automation: str
    run: str
    owner: str | None
    template: SessionTemplate
    message: Plain
    origin: SessionOrigin
    session: str | None = None


@attrs.frozen(kw_only=True)
class Steer:
    """A message into the turn that is running.

    Attributes:
        run: The run that turn belongs to; ``None`` where it is somebody's own.
        session: Where it goes.
    """

    automation: str
    run: str | None
    session: str
    message: str


@attrs.frozen(kw_only=True)
class KnownSession:
    """A session that the host has, awake or asleep."""

    session: str
    owner: str | None = None


class Host(Protocol):
    """What carries out. Methods return at once; they may call the catalogue again.

    Only :meth:`tell` may not: it is called while what it tells is being changed.
    """

    def start(self, start: Start) -> None:
        """Begin a run: make or wake its session, link it, then send the message.

        Raising fails the run with the exception's text.
        """
        ...

    def steer(self, steer: Steer) -> None:
        """Send a message into a running turn. Raising says that it was not delivered."""
        ...

    def cancel(self, run: str, session: str) -> None:
        """Stop the turns that are running in a session of a run."""
        ...

    def tell(self, client: str, envelope: Mapping[str, Any]) -> None:
        """Send a client an envelope, after all that it was sent before. Not to be changed."""
        ...


class Knowledge(Protocol):
    """What only the host knows, asked when it matters."""

    def refuse(self, template: SessionTemplate, owner: str | None) -> ErrorInfo | None:
        """Why no session can be made from a template now; ``None`` where one can."""
        ...

    def find_session(self, session: str) -> KnownSession | None:
        """A session, or ``None`` where it is gone."""
        ...

    def narrow(
        self, definitions: Sequence[Mapping[str, Any]], asked: Mapping[str, Any]
    ) -> Sequence[Mapping[str, Any]]:
        """Those of the plugins' trigger types that are of use to a session template.

        ``asked`` holds ``provider``, ``workingDirectories`` and ``sessionConfig`` as far as
        the client gave them.
        """
        ...


class EverythingGoes:
    """A host's knowledge where it has nothing to say: all is well, all sessions live."""

    def refuse(self, template: SessionTemplate, owner: str | None) -> ErrorInfo | None:  # noqa: ARG002
        """No template is refused."""
        return None

    def find_session(self, session: str) -> KnownSession | None:
        """Every session is there, and nobody's."""
        return KnownSession(session=session)

    def narrow(
        self,
        definitions: Sequence[Mapping[str, Any]],
        asked: Mapping[str, Any],  # noqa: ARG002
    ) -> Sequence[Mapping[str, Any]]:
        """Every type is of use."""
        return definitions
