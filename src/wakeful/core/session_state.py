"""The state of a session as plain data, and back.

What is saved is what is live: stale hits, broken runs and passed windows are dropped on the
way, so that the same state gives the same data however it came about. Rules are named by
automation, trigger and preset, with a digest of what they mean; state of a rule that means
something else by now, or is not watched, is let go and said.
"""

import hashlib
import json
from collections import deque
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import attrs

from wakeful.core import machine
from wakeful.core.census import live_in
from wakeful.core.compile import Rule
from wakeful.core.invariants import unsound
from wakeful.core.machine import Then
from wakeful.core.matcher import Matcher
from wakeful.core.plain import flag, number, optional_text, optional_whole, text, whole
from wakeful.core.sealed import seal, unseal
from wakeful.core.sessions import Session, Wait
from wakeful.errors import SnapshotError
from wakeful.model.events import EVENT_KINDS, EventKind, Facts
from wakeful.model.rules import Count, SessionRule
from wakeful.model.time import Instant

_FORMAT: Final = "wakeful-session"
_VERSION: Final = 1

UNREADABLE: Final = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError)
"""What reading plain data of another shape raises."""


@attrs.frozen
class LetGo:
    """State of a rule that was not taken over, because the rule is not what it was.

    Attributes:
        session: ``None`` for state that is about no session.
        why: ``gone`` where the rule is not watched, ``changed`` where it means something else.
    """

    automation: str
    trigger: str
    preset: str | None
    session: str | None
    why: str


@lru_cache(maxsize=1 << 16)
def meaning(spec: SessionRule) -> str:
    """A short digest of what a rule means; equal for equal rules, in every process.

    Remembered, since whoever saves sessions one by one asks it of the same rules again and again.
    """
    said = json.dumps(attrs.asdict(spec, value_serializer=_plain), sort_keys=True)
    return hashlib.sha256(f"{type(spec.then).__name__} {said}".encode()).hexdigest()[:16]


def name_rule(rule: Rule) -> list[Any]:
    """A rule's name and meaning, as it is saved."""
    return [rule.automation, rule.trigger, rule.preset, meaning(rule.spec)]


def find_rule(matcher: Matcher, saved: list[Any], session: str | None) -> Rule | LetGo:
    """The rule of that name where it still means the same; else why not."""
    automation, trigger, preset, meant = saved
    automation, trigger, preset = text(automation), text(trigger), optional_text(preset)
    rule = matcher.upkeep.find(automation, trigger, preset)
    if rule is None:
        return LetGo(automation, trigger, preset, session, "gone")
    if meaning(rule.spec) != meant:
        return LetGo(automation, trigger, preset, session, "changed")
    return rule


def export_session(matcher: Matcher, name: str, now: Instant) -> bytes | None:
    """A session's state as bytes; ``None`` where it is not known."""
    session = matcher.sessions.get(name)
    return None if session is None else seal(_FORMAT, _VERSION, save_session(matcher, session, now))


def import_session(matcher: Matcher, data: bytes) -> list[LetGo]:
    """Take over an exported session; what was let go.

    Raises:
        SnapshotError: It is no exported session; nothing was changed.
    """
    saved = unseal(data, _FORMAT, _VERSION)
    try:
        session, lost = restore_session(matcher, saved)
        contradiction = next(unsound(session), None)
    except UNREADABLE as error:
        raise SnapshotError(f"saved session cannot be read: {error!r}") from None
    if contradiction is not None:
        raise SnapshotError(f"saved session contradicts itself: {contradiction}")
    admit_session(matcher, session)
    return lost


def save_session(matcher: Matcher, session: Session, now: Instant) -> dict[str, Any]:
    """A session's state at ``now``. O(its hits and waits)."""
    saved: dict[str, Any] = {
        "session": session.name,
        "facts": _save_facts(session.facts),
        "title": session.title,
        "counters": [session.active, session.idles, session.stirs, session.endings],
        "state": [session.running, session.queued, session.calls],
        "turn": session.turn_at,
        "touched": [session.touched_at, session.touched_seq],
        "rules": [
            {
                "rule": name_rule(rule),
                "hits": _save_hits(rule, (session.hits or {})[rule]) if hits else None,
                "wait": None if wait is None else [wait.kind, wait.due, wait.seq, wait.mark],
            }
            for _, rule, hits, wait in live_in(matcher, session, now)
        ],
    }
    mark, touched = session.mark, session.touched_seq
    if session.turn_at is not None and mark is not None and mark[1] >= touched:
        saved["mark"] = [mark[0], mark[1], list(mark[2])]
    floors = [
        [name_rule(who) if isinstance(who, Rule) else who, *floor]
        for who, floor in (session.floors or {}).items()
        if floor[1] > touched and (not isinstance(who, Rule) or who.alive)
    ]
    if session.turn_at is not None and floors:
        saved["floors"] = sorted(floors, key=json.dumps)
    return saved


def restore_session(matcher: Matcher, saved: Mapping[str, Any]) -> tuple[Session, list[LetGo]]:
    """A session as it was saved; not yet known to the matcher. See :func:`admit_session`.

    Raises:
        KeyError, TypeError, ValueError, IndexError: It is not what :func:`save_session` gave.
    """
    name = text(saved["session"])
    facts = _restore_facts(saved["facts"])
    session = Session(name, matcher.index.reach(facts, name))
    session.facts = facts
    session.swept = matcher.upkeep.removals
    session.title = optional_text(saved["title"])
    counters = [whole(one) for one in saved["counters"]]
    session.active, session.idles, session.stirs, session.endings = counters
    running, queued, calls = saved["state"]
    session.running = None if running is None else flag(running)
    session.queued = optional_whole(queued)
    session.calls = optional_whole(calls)
    session.turn_at = optional_whole(saved["turn"])
    touched_at, touched_seq = saved["touched"]
    session.touched_at, session.touched_seq = whole(touched_at), number(touched_seq)
    if (mark := saved.get("mark")) is not None:
        session.mark = (whole(mark[0]), number(mark[1]), tuple(whole(one) for one in mark[2]))
    lost: list[LetGo] = []
    for who, at, seq in saved.get("floors", ()):
        found = find_rule(matcher, who, name) if isinstance(who, list) else optional_text(who)
        if not isinstance(found, LetGo):
            session.see_from(found, whole(at), number(seq))
    for one in saved["rules"]:
        rule = find_rule(matcher, one["rule"], name)
        if isinstance(rule, LetGo):
            lost.append(rule)
            continue
        if one["hits"] is not None:
            hits = session.hits if session.hits is not None else {}
            hits[rule] = _restore_hits(rule, one["hits"])
            session.hits = hits
        if one["wait"] is not None:
            kind, due, seq, wait_mark = one["wait"]
            if rule.then is None:
                raise ValueError("a wait of a rule without a follow-up")
            wait = Wait(rule, session, _kind(kind), whole(due), number(seq), whole(wait_mark))
            waits = session.waits if session.waits is not None else {}
            waits[rule] = wait
            session.waits = waits
            session.awaited |= rule.awaited_bit
    return session, lost


def admit_session(matcher: Matcher, session: Session) -> None:
    """Make a restored session known; it takes the place of one of that name. O(its waits)."""
    matcher.session_ended(session.name)
    matcher.sessions[session.name] = session
    for rule, wait in (session.waits or {}).items():
        if rule.then is not Then.EVENT:
            matcher.deadlines.insert(wait)
    if session.turn_at is not None:
        silences = matcher.upkeep.silences
        silences.turns[session.name] = session
        silences.time(session, matcher.upkeep.current(session))


def _save_facts(facts: Facts) -> list[Any]:
    return [facts.owner, facts.provider, facts.project, list(facts.folders), facts.automated]


def _restore_facts(saved: list[Any]) -> Facts:
    owner, provider, project, folders, automated = saved
    return Facts(
        owner=optional_text(owner),
        provider=optional_text(provider),
        project=optional_text(project),
        folders=tuple(text(folder) for folder in folders),
        automated=flag(automated),
    )


def _save_hits(rule: Rule, value: Any) -> Any:
    """Hits in the shape that :mod:`~wakeful.core.machine` lists, as plain data."""
    count = rule.spec.count or Count()
    if count.consecutive:
        return [*value[:-1], _save_times(value[-1])]
    if count.same_input:
        # The order is that of being touched, which the bound goes by.
        return [[call, _save_times(times)] for call, times in value.items()]
    return _save_times(value)


def _save_times(value: Any) -> Any:
    return value if isinstance(value, int) else list(value)


def _restore_hits(rule: Rule, saved: Any) -> Any:
    count = rule.spec.count or Count()
    if count.consecutive and count.same_input:
        number, call, times = saved
        return [whole(number), _call(call), _restore_times(rule, times)]
    if count.consecutive:
        number, times = saved
        return [whole(number), _restore_times(rule, times)]
    if count.same_input:
        return {_call(call): _restore_times(rule, times) for call, times in saved}
    return _restore_times(rule, saved)


def _restore_times(rule: Rule, saved: Any) -> Any:
    if rule.within is None:
        return whole(saved)
    times = [whole(time) for time in saved]
    return times if rule.n <= machine.SHORT else deque(times)


def _kind(saved: Any) -> EventKind:
    for kind in EVENT_KINDS:
        if kind == saved:
            return kind
    raise ValueError(f"{saved!r} is no kind of event")


def _call(saved: Any) -> tuple[str, str] | None:
    if saved is None:
        return None
    name, hash_ = saved
    return text(name), text(hash_)


def _plain(_spec: type, _field: Any, value: Any) -> Any:
    return sorted(value) if isinstance(value, frozenset) else value
