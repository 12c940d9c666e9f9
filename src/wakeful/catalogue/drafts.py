"""From what a client wrote to a definition that can be kept: validated and normalised.

A draft is plain data until the reader has let it through; what comes out is both records of
it, the wire's for clients and the model's for the engine. Nothing is changed that its
author wrote, except

- what the wire requires and was left out: ``enabled``, ``session``, ``triggers``, the
  message's origin, a schedule's zone, the title of an event trigger (its type's);
- titles and descriptions of selected events, which come from discovery;
- the host's own notes in ``_meta``: the owner is the maker and stays, the pinned session is
  never a client's to write.

A patch that leaves the triggers and the session alone leaves the stored triggers as they
are, labels too, whatever has become of their types since.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import attrs

from wakeful.catalogue import refusals
from wakeful.catalogue.capabilities import Capabilities
from wakeful.catalogue.converting import member_of, read, write
from wakeful.catalogue.definitions import Definition, DefinitionPatch
from wakeful.catalogue.grants import Access
from wakeful.cron import Schedule
from wakeful.errors import InvalidError, Problem
from wakeful.model.automations import Automation
from wakeful.model.limits import Limits
from wakeful.model.time import Instant
from wakeful.model.triggers import PluginTrigger, ScheduleTrigger
from wakeful.plugins import TypeRegistry, list_trigger_definitions
from wakeful.reading import read_definition
from wakeful.reading.checks import HOST_NOTES, OWNER_NOTE
from wakeful.reading.kinds import PLAIN_MAP, is_map
from wakeful.reading.problems import unknown_key

PINNED_NOTE: Final = "pinnedSession"

_PATCHABLE: Final = tuple(
    member_of(field.name) for field in attrs.fields(DefinitionPatch) if field.name != "unknown"
)
_REVALIDATING: Final = frozenset({"triggers", "session"})
"""Members whose change asks the triggers again."""


@attrs.frozen(kw_only=True)
class Draft:
    """A definition that was let through, in both its records."""

    definition: Definition
    automation: Automation


class Drafts:
    """Validates and normalises definitions.

    Args:
        types: The registered plugin types.
        access: Asked who may name which owner.
        capabilities: Whether there are schedules, and how close their occurrences may come.
        limits: How large a definition may be.
    """

    def __init__(
        self, types: TypeRegistry, access: Access, capabilities: Capabilities, limits: Limits
    ) -> None:
        self._types = types
        self._limits = limits
        self._access = access
        self._schedules = capabilities.schedules
        self._own_types: dict[str, Mapping[str, Any]] = {
            each["type"]: {
                "title": each["title"],
                "events": {event["id"]: event for event in each["events"]},
            }
            for each in list_trigger_definitions(TypeRegistry())
        }

    def new(self, resource: str, written: Any, *, principal: str | None, at: Instant) -> Draft:
        """A definition that a client creates.

        Args:
            resource: Where.
            written: What the client sent.
            principal: Who made it, and owns it where it names no other.
            at: Now: schedules are surveyed from here.

        Raises:
            InvalidError: With every problem.
            RefusedError: The owner is not the principal's to name, or a schedule is not the
                host's to offer.
        """
        data = dict(PLAIN_MAP(written))
        meta = _meta_of(data)
        _note_chat(meta, None)
        named = OWNER_NOTE in meta
        if not named and principal is not None:
            meta[OWNER_NOTE] = principal
        return self._let_through(
            resource, _with_meta(data, meta), principal, at, named=named, check=True
        )

    def own(self, resource: str, written: Any, *, chat: str | None, at: Instant) -> Draft:
        """A definition that the host itself writes, which may name any owner and chat.

        Args:
            resource: Where.
            written: What it wrote.
            chat: The chat that it has noted there, to be kept where none is named.
            at: Now.

        Raises:
            InvalidError: With every problem.
            RefusedError: A schedule is not the host's to offer.
        """
        data = dict(PLAIN_MAP(written))
        meta = _meta_of(data)
        if PINNED_NOTE not in meta.get(HOST_NOTES, {}):
            _note_chat(meta, chat)
        return self._let_through(
            resource, _with_meta(data, meta), None, at, named=False, check=True
        )

    def changed(
        self,
        resource: str,
        before: Definition,
        changes: Any,
        *,
        principal: str | None,
        at: Instant,
    ) -> Draft:
        """A definition with members replaced; what the patch leaves out stays as it is.

        Raises:
            InvalidError: With every problem of the result.
            RefusedError: As :meth:`new` does.
        """
        patch = dict(PLAIN_MAP(changes))
        unknown = [
            unknown_key(key, value, _PATCHABLE)
            for key, value in patch.items()
            if key not in _PATCHABLE
        ]
        if unknown:
            raise InvalidError(unknown)
        data = write(before)
        notes = before.meta or {}
        named = False
        if "_meta" in patch:
            meta = _meta_of(patch)
            _note_chat(meta, pinned_session(before))
            owner = notes.get(OWNER_NOTE)
            named = OWNER_NOTE in meta and meta[OWNER_NOTE] != owner
            if owner is not None:
                meta.setdefault(OWNER_NOTE, owner)
            patch = _with_meta(patch, meta)
        return self._let_through(
            resource,
            data | patch,
            principal,
            at,
            named=named,
            check=not _REVALIDATING.isdisjoint(patch),
        )

    def kept(self, resource: str, definition: Definition) -> Draft:
        """A definition as a store gives it back.

        Raises:
            InvalidError: It cannot be meant (any more).
        """
        model = read_definition(write(definition), limits=self._limits)
        owner = (definition.meta or {}).get(OWNER_NOTE)
        return Draft(
            definition=definition,
            automation=Automation(resource=resource, definition=model, owner=owner),
        )

    def _let_through(  # noqa: PLR0913 - what new and changed have found out
        self,
        resource: str,
        data: Mapping[str, Any],
        principal: str | None,
        at: Instant,
        *,
        named: bool,
        check: bool,
    ) -> Draft:
        model = read_definition(data, limits=self._limits)
        owner: str | None = model.meta.get(OWNER_NOTE)
        if named and owner is not None and not self._access.speaks_for(principal, owner):
            raise refusals.owner_of_another(owner)
        automation = Automation(resource=resource, definition=model, owner=owner)
        normal = dict(data)
        if check:
            self._check_triggers(automation, at)
            normal["triggers"] = [self._labelled(each) for each in normal.get("triggers", ())]
        normal.setdefault("session", {})
        normal.setdefault("enabled", True)
        normal["message"] = {"origin": {"kind": "automation"}, **normal["message"]}
        definition = read(Definition, normal)
        if normal["triggers"] != data.get("triggers"):
            # The engine's record says what the labels now say, so that messages agree.
            labelled = read_definition(write(definition), limits=self._limits)
            automation = attrs.evolve(automation, definition=labelled)
        return Draft(definition=definition, automation=automation)

    def _check_triggers(self, automation: Automation, at: Instant) -> None:
        problems: list[Problem] = []
        for index, trigger in enumerate(automation.definition.triggers):
            if isinstance(trigger, PluginTrigger):
                problems += self._types.check(
                    trigger, owner=automation.owner, path=f"triggers[{index}]"
                )
        if problems:
            raise InvalidError(problems)
        for trigger in automation.definition.triggers:
            if isinstance(trigger, ScheduleTrigger):
                self._check_schedule(trigger, at)

    def _check_schedule(self, trigger: ScheduleTrigger, at: Instant) -> None:
        if self._schedules is None:
            raise refusals.RefusedError(refusals.NO_SCHEDULES)
        minutes = self._schedules.min_interval_minutes
        if minutes is not None:
            schedule = Schedule.parse(trigger.expression, trigger.time_zone)
            if schedule.closer_than(minutes, at):
                raise refusals.too_close(trigger.id, minutes)

    def _labelled(self, trigger: Mapping[str, Any]) -> dict[str, Any]:
        """A trigger with what discovery says of it."""
        if trigger["kind"] == "schedule":
            return {**trigger, "schedule": {"timeZone": "UTC", **trigger["schedule"]}}
        type_ = trigger["type"]
        title, offered = self._discovered(type_)
        return {
            **trigger,
            "title": trigger.get("title", title),
            "events": [
                offered.get(event["id"], {"title": event["id"], **event})
                for event in trigger["events"]
            ],
        }

    def _discovered(self, type_: str) -> tuple[str, Mapping[str, Any]]:
        """A type's title, and its events as descriptors by id."""
        own = self._own_types.get(type_)
        if own is not None:
            return own["title"], own["events"]
        registered = self._types.get(type_)
        if registered is None:
            return type_, {}
        definition = registered.definition
        return definition.title, {
            event.id: {
                "id": event.id,
                "title": event.title,
                **({} if event.description is None else {"description": event.description}),
            }
            for event in definition.events
        }


def pinned_session(definition: Definition) -> str | None:
    """The chat that a pinned automation keeps, as the host noted it."""
    chat: str | None = (definition.meta or {}).get(HOST_NOTES, {}).get(PINNED_NOTE)
    return chat


def with_pinned_session(definition: Definition, chat: str | None) -> Definition:
    """The definition with the host's note of the chat; ``None`` takes it away."""
    if pinned_session(definition) == chat:
        return definition
    meta = dict(definition.meta or {})
    _note_chat(meta, chat)
    return attrs.evolve(definition, meta=meta or None)


def _meta_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of ``_meta``; the reader refuses it where it is no map, or its notes are none."""
    meta = data.get("_meta", {})
    if not is_map(meta) or not is_map(meta.get(HOST_NOTES, {})):
        read_definition({"title": "-", "message": {"text": ""}, "_meta": meta})
    return dict(meta)


def _with_meta(data: Mapping[str, Any], meta: Mapping[str, Any]) -> dict[str, Any]:
    return {**data, "_meta": meta} if meta or "_meta" in data else dict(data)


def _note_chat(meta: dict[str, Any], chat: str | None) -> None:
    notes = dict(meta.get(HOST_NOTES, {}))
    if chat is not None:
        notes[PINNED_NOTE] = chat
    elif PINNED_NOTE not in notes:
        return
    else:
        del notes[PINNED_NOTE]
    if notes:
        meta[HOST_NOTES] = notes
    else:
        meta.pop(HOST_NOTES, None)


def problems_in_words(problems: Iterable[Problem]) -> str:
    """Every problem of a definition as one reason."""
    return "; ".join(str(problem) for problem in problems)
