"""What must hold of an engine between any two calls, as a walk over all it holds.

The theory of each part states its invariants; here they are asked. A walk changes nothing
that an output or a snapshot could show. Property tests ask after each input, and restoring
asks once, so that saved state that contradicts itself is refused and never acted on.
"""

# ruff: noqa: SLF001 - looks inside on purpose, so that no part has to open itself for it

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, Final

from wakeful.core import machine
from wakeful.core.compile import Rule
from wakeful.core.deadlines import Lane, is_live
from wakeful.core.door import Door
from wakeful.core.gate import Gate
from wakeful.core.index import FAR
from wakeful.core.machine import Then
from wakeful.core.matcher import Matcher
from wakeful.core.parts import Parts, or_far
from wakeful.core.runs import Run
from wakeful.core.sessions import Session, Wait
from wakeful.model.events import EVENT_KINDS
from wakeful.model.rules import Count
from wakeful.model.time import Instant

_ENOUGH: Final = 20
"""How many broken invariants are told; one fault often breaks one in every session."""


def broken(parts: Parts, now: Instant) -> list[str]:
    """Every invariant that does not hold, in words; at most a few. O(everything held).

    Args:
        parts: An engine's parts, between two calls.
        now: The engine's instant.
    """
    found: list[str] = []
    for sentence in _all(parts, now):
        found.append(sentence)
        if len(found) == _ENOUGH:
            break
    return found


def _all(parts: Parts, now: Instant) -> Iterator[str]:
    yield from _places(parts)
    yield from broken_in_matcher(parts.matcher)
    yield from _gate(parts, now)
    yield from _schedules(parts)
    yield from _plugin_events(parts)


def broken_in_matcher(matcher: Matcher) -> Iterator[str]:
    """The same of a matcher alone."""
    yield from _rules(matcher)
    for name, session in matcher.sessions.items():
        if session.name != name:
            yield f"session {session.name} is known as {name}"
        for sentence in _session(matcher, session):
            yield f"session {name}: {sentence}"
    yield from _deadlines(matcher)


# -- definitions and rules ------------------------------------------------------------------


def _places(parts: Parts) -> Iterator[str]:
    places = list(parts.places.values())
    if len(set(places)) < len(places):
        yield "two automations stand at one place"
    if any(not 0 <= place < parts.next_place for place in places):
        yield "an automation stands at the place of one to come"
    if parts.gate.switched:
        yield "what the gate switched off is still watched"
    defined = {name for name, door in parts.gate._doors.items() if door.automation is not None}
    if defined != parts.places.keys():
        yield "the gate has other definitions than the engine"
    due = min(
        or_far(parts.gate.next_date), or_far(parts.gate.next_settle), or_far(parts.schedules.next)
    )
    if parts.next > due:
        yield f"what is due at {due} is looked for at {parts.next}"


def _rules(matcher: Matcher) -> Iterator[str]:
    rules = set(matcher.upkeep.rules())
    index = matcher.index
    if len(index) != len(rules):
        yield f"{len(rules)} rules are watched and {len(index)} filed"
    for rule in rules:
        if not rule.alive:
            yield f"{rule} is watched and was taken out"
        if any(rule not in bucket.rules for bucket in index._file(rule)):
            yield f"{rule} is not filed where it belongs"
    filed = {rule for bucket in index._buckets.values() for rule in bucket.rules}
    if (filed | set(index._everything.rules)) - rules:
        yield "a rule is filed that nobody watches"
    named = Counter(
        session
        for rule in rules
        if rule.spec.filter is not None
        for session in rule.spec.filter.sessions or ()
    )
    if named != index._named:
        yield "other sessions are named than filters name"


# -- sessions -------------------------------------------------------------------------------


def _session(matcher: Matcher, session: Session) -> Iterator[str]:
    yield from unsound(session)
    if session.reach.facts != session.facts:
        yield "its reach is that of other facts"
    if (matcher.upkeep.silences.turns.get(session.name) is session) is (session.turn_at is None):
        yield "a turn runs and is not known to, or the other way round"
    for rule in {**(session.hits or {}), **(session.waits or {})}:
        yield from _held_by(matcher, session, rule)
    yield from _silence(matcher, session)


def unsound(session: Session) -> Iterator[str]:
    """What of a session contradicts itself, whichever engine it is in. O(its hits and waits)."""
    if min(session.active, session.idles, session.stirs, session.endings) < 0:
        yield "a counter is negative"
    if session.endings > session.active:
        yield "more endings than events"
    if session.touched_seq < 0:
        yield "it was touched by no input"
    if session.turn_at is not None and session.turn_at > session.touched_at:
        yield "its turn started after it was last touched"
    if session.hits is not None and not session.hits:
        yield "no hits are stored as some"
    if session.waits is not None and not session.waits:
        yield "no waits are stored as some"
    for rule, value in (session.hits or {}).items():
        yield from (f"{sentence} of {rule}" for sentence in _hits(session, rule, value))
    for rule, wait in (session.waits or {}).items():
        yield from (f"{sentence} of {rule}" for sentence in _wait(session, rule, wait))


def _held_by(matcher: Matcher, session: Session, rule: Rule) -> Iterator[str]:
    upkeep = matcher.upkeep
    watched = upkeep.find(rule.automation, rule.trigger, rule.preset) is rule
    if rule.alive is not watched:
        yield f"{rule} is alive and not watched, or the other way round"
    if not rule.alive and session.swept == upkeep.removals:
        yield f"{rule} is gone and left something"


def _hits(session: Session, rule: Rule, value: Any) -> Iterator[str]:
    now = session.touched_at
    count = rule.spec.count or Count()
    if rule.step is None or rule.silence is not None:
        yield "hits are kept that are never counted"
    elif count.consecutive:
        if value[0] > machine.event_number(rule, session):
            yield "a run goes on past the last event"
        yield from _held(rule, value[-1], now)
    elif count.same_input:
        if not 1 <= len(value) <= machine.MAX_CALLS:
            yield f"{len(value)} calls are kept"
        for held in value.values():
            yield from _held(rule, held, now)
    else:
        yield from _held(rule, value, now)


def _held(rule: Rule, held: Any, now: Instant) -> Iterator[str]:
    """A number of hits, or their instants."""
    number = held if isinstance(held, int) else len(held)
    if not 1 <= number < rule.n:
        yield f"{number} hits are kept where {rule.n} satisfy the count"
    if isinstance(held, int) is (rule.within is not None):
        yield "hits are kept in the shape of another count"
    elif number and not isinstance(held, int) and (held[-1] > now or not _is_sorted(held)):
        yield "instants of hits are out of order"


def _wait(session: Session, rule: Rule, wait: Wait) -> Iterator[str]:
    if wait.rule is not rule or wait.session is not session:
        yield "the wait is another's"
    if rule.then is None:
        yield "a wait for nothing"
    if wait.kind not in EVENT_KINDS or wait.kind not in rule.spec.events:
        yield f"a wait after {wait.kind!r}, which is not counted"
    if wait.seq < 0:
        yield "a wait was armed by no input"
    if wait.mark > session.active + session.stirs:
        yield "a quiet began after all that happened"


def _silence(matcher: Matcher, session: Session) -> Iterator[str]:
    coming = [silence.due for silence in matcher.upkeep.silences.coming(session)]
    quiet = session.quiet
    if quiet is not None and quiet[-1] is not session:
        yield "its silence is timed for another"
    if coming and (quiet is None or quiet[0] > min(coming)):
        yield f"a silence due at {min(coming)} is not timed"


# -- deadlines ------------------------------------------------------------------------------


def _deadlines(matcher: Matcher) -> Iterator[str]:
    deadlines = matcher.deadlines
    entries = list(deadlines._queue)
    if not _is_sorted(entry[:5] for entry in entries):
        yield "deadlines are out of order"
    if deadlines.next != (entries[0][0] if entries else FAR):
        yield "the next deadline is another than the first"
    standing = {id(entry) for entry in entries}
    listed = Counter(id(entry[-1]) for entry in entries if isinstance(entry[-1], Wait))
    queued = 0
    for duration, lane in deadlines._lanes.items():
        yield from _lane(lane, standing)
        if lane.duration != duration or any(wait.rule.for_ != duration for wait in lane.waits):
            yield "a wait stands in the lane of another duration"
        listed.update(map(id, lane.waits))
        queued += len(lane.waits)
    if queued != len(deadlines):
        yield f"{queued} waits lie in lanes and {len(deadlines)} are counted"
    for session in matcher.sessions.values():
        if session.quiet is not None and id(session.quiet) not in standing:
            yield f"the silence of {session.name} is no deadline"
        for rule, wait in (session.waits or {}).items():
            if rule.then is Then.EVENT:
                continue
            if listed[id(wait)] != 1:
                yield f"{rule} waits in {session.name} with {listed[id(wait)]} deadlines"


def _lane(lane: Lane, standing: set[int]) -> Iterator[str]:
    if not lane.waits or lane.head is None or id(lane.head) not in standing:
        yield "a lane has no deadline"
    elif not is_live(lane.waits[0]) and lane.head[0] > lane.waits[0].due:
        yield "the deadline of a lane is late"
    elif lane.head[-1] is not lane or lane.head[:2] != (lane.waits[0].due, lane.waits[0].seq):
        yield "the deadline of a lane is not that of its first wait"
    if not _is_sorted((wait.due, wait.seq) for wait in lane.waits):
        yield "a lane is out of order"


# -- gate -----------------------------------------------------------------------------------


def _gate(parts: Parts, now: Instant) -> Iterator[str]:
    gate = parts.gate
    chats: dict[str, set[str]] = {}
    for resource, door in gate._doors.items():
        for sentence in _door(parts, door, now):
            yield f"{resource}: {sentence}"
        if door.chat is not None:
            chats.setdefault(door.chat, set()).add(resource)
        if door.on and door.date is not None:
            if (door.date, door.order, resource) not in gate._dates:
                yield f"{resource}: its date is not waited for"
            if door.date <= now:
                yield f"{resource}: its date has passed"
    if chats != gate._chats:
        yield "other chats are watched than automations keep to"
    for date, order, resource in gate._dates:
        listed = gate._doors.get(resource)
        if listed is None or (listed.date, listed.order) != (date, order):
            yield f"{resource}: a date is waited for that is not its own"
    requests = gate._around.requests
    for request_id, run in requests.items():
        if request_id not in run.requests or not _is_kept(gate, run):
            yield f"the request id {request_id!r} stands for a run that is not kept"
    for key, automation, run in gate._around.settling._heap:
        if run.outcome is None and (run.automation != automation or not _is_kept(gate, run)):
            yield f"a run that nobody knows settles at {key.at}"


def _door(parts: Parts, door: Door, now: Instant) -> Iterator[str]:
    if door.automation is None:
        if door.on or door.chat is not None:
            yield "it is removed and still watched"
    elif door.order != parts.places.get(door.resource):
        yield "it stands at another place in the gate"
    if door.waiting is not None:
        if not (door.on and door.is_going):
            yield "a wake waits, and nothing is going"
        if door.waiting.count < 1:
            yield "a wake waits for no event"
        if door.waiting.told.automation != door.resource:
            yield "the wake of another automation waits"
    hour = door.cap.instants
    if len(hour) > door.cap.limit or not _is_sorted(hour) or (hour and hour[-1] > now):
        yield "the hour is out of order, or holds more than the cap"
    if door.run_count < 0:
        yield "it has used less than nothing of its allowance"
    yield from _runs(door, parts.gate._around.requests)


def _runs(door: Door, requests: dict[str, Run]) -> Iterator[str]:
    runs = door.runs
    kept = set(map(id, runs.known.values()))
    if not _is_sorted(runs.going):
        yield "runs that are going are out of order"
    over = set(map(id, runs._over))
    if len(runs._over) > runs.kept or len(over) < len(runs._over):
        yield f"{len(runs._over)} runs that are over are kept"
    waiting = {id(run) for run in runs._unclaimed.values()}
    idle = sum(run.outcome is not None for run in runs._unclaimed.values())
    if idle != runs._idle or idle > runs.kept:
        yield f"{idle} settled starts can be claimed, {runs._idle} are counted"
    for name, run in runs.known.items():
        if run.automation != door.resource or name not in runs.names_of(run):
            yield f"a run is known as {name} and is called otherwise"
        if not 1 <= run.number <= runs.started:
            yield f"run {run.number} of {runs.started}"
        if (run.outcome is None) is not (runs.going.get(run.number) is run):
            yield f"{name} is going and over"
        if (run.outcome is not None and run.claimed) is not (id(run) in over):
            yield f"{name} is over, or not, and kept otherwise"
        if not run.claimed and id(run) not in waiting:
            yield f"{name} cannot be claimed"
        if not runs.sessions.issuperset(run.sessions):
            yield f"a session of {name} is not one of the automation's own"
        if any(requests.get(request_id) is not run for request_id in run.requests):
            yield f"a request id of {name} stands for another run"
    for run in (*runs.going.values(), *runs._over):
        if id(run) not in kept:
            yield f"run {run.number} is not known by its name"
    if runs.last_linked is not None and runs.last_linked not in runs.sessions:
        yield "the session last linked is not one of the automation's own"


def _is_kept(gate: Gate, run: Run) -> bool:
    door = gate._doors.get(run.automation)
    return door is not None and door.runs.known.get(run.name) is run


# -- schedules and plugin triggers ------------------------------------------------------------


def _schedules(parts: Parts) -> Iterator[str]:
    schedules = parts.schedules
    entries = {
        waiting.entry for triggers in schedules._waiting.values() for waiting in triggers.values()
    }
    if entries != set(schedules._queue):
        yield "other occurrences stand in order than are waited for"
    for resource in schedules._waiting:
        if not parts.gate.is_on(resource):
            yield f"{resource} is off and waits for occurrences"


def _plugin_events(parts: Parts) -> Iterator[str]:
    events = parts.plugin_events
    watchers = {one for found in events._watchers.values() for one in found}
    for filed in (events._by_type, events._by_event):
        if not all(filed.values()) or {one for some in filed.values() for one in some} != watchers:
            yield "plugin triggers are filed that are not watched, or the other way round"
    for resource in events._watchers:
        if not parts.gate.is_on(resource):
            yield f"{resource} is off and watches plugin events"


def _is_sorted(values: Iterable[Any]) -> bool:
    return all(first <= second for first, second in pairwise(values))
