"""What a run starts with: where it comes from, what it is told, and whether it may start at all.

Everything that may have changed since its definition was saved is asked again here: the
owner's grants, the chat that a pinned automation keeps, the session's template.
"""

from typing import Any

from wakeful.catalogue import grants, refusals
from wakeful.catalogue.drafts import pinned_session
from wakeful.catalogue.entries import Entry
from wakeful.catalogue.grants import Access
from wakeful.catalogue.host import Knowledge
from wakeful.catalogue.lifecycles import ErrorInfo
from wakeful.catalogue.origins import ManualOrigin, RunOrigin, TriggerOrigin
from wakeful.model.outputs import Decision
from wakeful.model.time import format_instant


class StartChecks:
    """Asks again, at the start of a run, what its definition was let through with."""

    def __init__(self, access: Access, knowledge: Knowledge) -> None:
        self._access = access
        self._knowledge = knowledge

    def chat_of(self, entry: Entry) -> str | None:
        """The chat that a pinned automation keeps; ``None`` where there is none any more."""
        chat = pinned_session(entry.definition)
        if not entry.automation.definition.pinned or chat is None:
            return None
        return None if self._knowledge.find_session(chat) is None else chat

    def refusal(self, entry: Entry, chat: str | None) -> ErrorInfo | None:
        """Why a run may not start now; ``None`` where it may."""
        owner = entry.owner
        for grant in _grants_asked(entry, chat):
            if owner is not None and not self._access.allows(owner, grant):
                return host_error(refusals.may_not(owner, grant))
        if chat is not None:
            known = self._knowledge.find_session(chat)
            if known is not None and known.owner is not None and known.owner != owner:
                return host_error(refusals.CHAT_OF_ANOTHER)
        return self._knowledge.refuse(entry.definition.session, owner)


def _grants_asked(entry: Entry, chat: str | None) -> list[str]:
    """What the owner needs: a run acts as its owner, whoever started it."""
    asked = []
    if (entry.definition.session.config or {}).get("computer"):
        asked.append(grants.COMPUTER)
    if chat is not None and (entry.owner or "").startswith("user:"):
        asked.append(grants.SESSION_READ)
    return asked


def host_error(message: str) -> ErrorInfo:
    """The error of a run that fails by the host's own doing."""
    return ErrorInfo(error_type=refusals.EXECUTION, message=message)


def origin_of(decision: Decision, entry: Entry) -> RunOrigin:
    """Where a run comes from. Of the event nothing is said that names a session."""
    if decision.trigger is None:
        return ManualOrigin()
    event: dict[str, Any] | None = None
    if decision.event is not None:
        event = {"id": decision.event, "count": decision.count}
        for trigger in entry.definition.triggers:
            if trigger.id == decision.trigger and trigger.kind == "event":
                event["type"] = trigger.type
    return TriggerOrigin(
        trigger_id=decision.trigger,
        scheduled_for=(
            None if decision.scheduled_for is None else format_instant(decision.scheduled_for)
        ),
        catch_up=True if decision.catch_up else None,
        event=event,
    )


def message_of(entry: Entry, text: str | None) -> dict[str, Any]:
    """The message as its author wrote it, with its text filled."""
    message = dict(entry.definition.message)
    return message if text is None else message | {"text": text}
