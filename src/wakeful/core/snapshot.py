"""The whole state of an engine as versioned plain data, and back (semantics 7.3).

A snapshot holds state and no definitions: those are the host's, who hands them in as they
are now. State of a rule that still means the same goes on; other state is let go and said.
"""

import json
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from wakeful.core.invariants import broken
from wakeful.core.matcher import Matcher
from wakeful.core.parts import Parts
from wakeful.core.plain import number, optional_text, text, whole
from wakeful.core.sealed import seal, unseal
from wakeful.core.session_state import (
    UNREADABLE,
    LetGo,
    admit_session,
    restore_session,
    save_session,
)
from wakeful.core.sight import GrantSight
from wakeful.errors import InvalidError, SnapshotError
from wakeful.model.automations import Automation
from wakeful.model.outputs import Decision, OrderKey
from wakeful.model.time import Instant
from wakeful.model.triggers import TriggerEvent, TriggerType
from wakeful.plugins import TypeRegistry, plain

_FORMAT: Final = "wakeful-engine"
_VERSION: Final = 2


class Progress(NamedTuple):
    """How far an engine is: its instant, the inputs taken, those of them that were late."""

    now: Instant
    inputs: int
    late: int


def save_parts(parts: Parts, progress: Progress) -> bytes:
    """Everything an engine holds, as bytes. O(all of it)."""
    now = progress.now
    sight = parts.sight
    state = {
        "progress": list(progress),
        "places": parts.places,
        "nextPlace": parts.next_place,
        "matcher": save_matcher(parts.matcher, now),
        "gate": parts.gate.state(now),
        "schedules": parts.schedules.state(),
        "types": save_types(parts.types),
        "grants": sight.state() if isinstance(sight, GrantSight) else None,
    }
    return seal(_FORMAT, _VERSION, state)


def restore_parts(
    parts: Parts,
    snapshot: bytes,
    definitions: Callable[[Container[str]], tuple[Automation, ...]],
) -> tuple[Progress, list[Decision], list[LetGo]]:
    """Take over a snapshot in new parts.

    Args:
        parts: The parts, which hold nothing yet but the types the host registered.
        snapshot: What :func:`save_parts` gave.
        definitions: Gives the definitions as they are now; asked when types are restored, and
            told which automations stood.

    Raises:
        SnapshotError: It is cut short, edited, or of a version not known.
        InvalidError: A definition cannot be meant.
    """
    saved = unseal(snapshot, _FORMAT, _VERSION, most=parts.settings.limits.saved)
    types = {registered.definition.type for registered in parts.types}
    grants = parts.sight.state() if isinstance(parts.sight, GrantSight) else None
    try:
        with _reading():
            restore_types(parts.types, saved["types"])
            standing = frozenset(saved["places"])
        automations = definitions(standing)
        with _reading():
            return _take_over(parts, saved, automations)
    except (SnapshotError, InvalidError):
        # What the host handed in is as it was.
        for registered in list(parts.types):
            if registered.definition.type not in types:
                parts.types.remove(registered.definition.type)
        if isinstance(parts.sight, GrantSight) and grants is not None:
            parts.sight.put_back(grants)
        raise


@contextmanager
def _reading() -> Iterator[None]:
    """What plain data of another shape raises is the snapshot's fault."""
    try:
        yield
    except SnapshotError:
        raise
    except (*UNREADABLE, RecursionError) as error:
        raise SnapshotError(f"saved state cannot be read: {error!r}") from None


def _take_over(
    parts: Parts, saved: Mapping[str, Any], automations: tuple[Automation, ...]
) -> tuple[Progress, list[Decision], list[LetGo]]:
    progress = Progress(*(whole(one) for one in saved["progress"]))
    now = progress.now
    if isinstance(parts.sight, GrantSight):
        for principal, grants in (saved["grants"] or {}).items():
            parts.sight.change(principal, [text(grant) for grant in grants])
    places: Mapping[str, Any] = saved["places"]
    parts.next_place = whole(saved["nextPlace"])
    known = {one.resource: one for one in automations if one.resource in places}
    parts.places.update((resource, whole(places[resource])) for resource in known)
    # Rules first, for the sessions; then the sessions, since the gate asks for their turns.
    for resource, automation in known.items():
        if automation.definition.enabled:
            place = parts.places[resource]
            parts.watch_sessions(automation, place, now, progress.inputs)
    let_go = restore_matcher(parts.matcher, saved["matcher"])
    key = OrderKey(now, 1, 0, progress.inputs, ())
    decisions = parts.gate.take_over(saved["gate"], known, key)
    waiting = {(one[0], one[1]): one[2:] for one in saved["schedules"]}
    for resource, automation in known.items():
        if not parts.gate.is_on(resource):
            parts.unwatch(resource)
            continue
        for _, trigger in parts.schedules.give(automation, waiting):
            let_go.append(LetGo(resource, trigger, None, None, "changed"))
        parts.schedules.save(automation, parts.places[resource], now)
        parts.plugin_events.save(automation, parts.places[resource])
    for automation in automations:
        if automation.resource not in known:
            decisions += parts.save(automation, key)
    parts.after_gate()
    contradictions = broken(parts, now)
    if contradictions:
        raise SnapshotError(f"saved state contradicts itself: {'; '.join(contradictions)}")
    return progress, decisions, let_go


def save_matcher(matcher: Matcher, now: Instant) -> dict[str, Any]:
    """Every session, and since when rules that time silences have watched. O(all of it)."""
    return {
        "sessions": [
            save_session(matcher, session, now) for _, session in sorted(matcher.sessions.items())
        ],
        "since": sorted(
            (
                [rule.automation, rule.trigger, rule.preset, *rule.since]
                for rule in matcher.upkeep.rules()
                if rule.silence is not None
            ),
            key=json.dumps,
        ),
        "evicted": matcher.upkeep.evicted,
        "overflow": matcher.room.overflow.state(),
    }


def restore_matcher(matcher: Matcher, saved: Mapping[str, Any]) -> list[LetGo]:
    """Take over the sessions into a matcher that has its rules and nothing else.

    Raises:
        KeyError, TypeError, ValueError, IndexError: It is not what :func:`save_matcher` gave.
    """
    matcher.upkeep.evicted_before = whole(saved["evicted"])
    # Version 1 counted sessions alone.
    matcher.room.overflow.take(saved.get("overflow") or [saved["forgotten"], 0, 0, 0])
    lost: list[LetGo] = []
    restored = []
    for automation, trigger, preset, at, seq in saved["since"]:
        rule = matcher.upkeep.find(automation, trigger, preset)
        if rule is not None and rule.silence is not None:
            rule.since = (whole(at), number(seq))
    matcher.index.all_changed()
    for one in saved["sessions"]:
        session, gone = restore_session(matcher, one)
        restored.append(session)
        lost += gone
    for session in restored:
        admit_session(matcher, session)
    return lost


def save_types(types: TypeRegistry) -> list[dict[str, Any]]:
    """The registered types, in order of registration."""
    return [
        {
            "by": registered.by,
            "type": registered.definition.type,
            "title": registered.definition.title,
            "description": registered.definition.description,
            "events": [
                [event.id, event.title, event.description] for event in registered.definition.events
            ],
            "configSchema": plain(registered.definition.config_schema),
        }
        for registered in types
    ]


def restore_types(types: TypeRegistry, saved: list[Any]) -> None:
    """Register what is not registered by now; what is, is the host's word."""
    for one in saved:
        if one["type"] in types:
            continue
        events = tuple(
            TriggerEvent(id=text(id_), title=text(title), description=optional_text(description))
            for id_, title, description in one["events"]
        )
        types.register(
            TriggerType(
                type=text(one["type"]),
                title=text(one["title"]),
                description=optional_text(one["description"]),
                events=events,
                config_schema=one["configSchema"],
            ),
            optional_text(one["by"]),
        )
