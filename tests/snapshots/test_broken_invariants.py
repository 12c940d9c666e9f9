"""Each invariant is noticed when it is broken: one sabotage a sentence of ``Engine.check``."""

import re
from collections import deque

import attrs
import pytest

from engine_scenes import automation, fail, ms, on, turn
from snapshots.test_refusals import RULES, busy_engine
from wakeful import Engine, SessionEvent, Settings
from wakeful.core.compile import Rule
from wakeful.core.sessions import Wait
from wakeful.model.events import Facts
from wakeful.model.outputs import OrderKey

A, B, C, D = (f"ahp-automation:/{name}" for name in "abcd")


def of(engine):
    return engine._parts


def session(engine, name="s"):
    return of(engine).matcher.sessions[name]


def rule(engine, trigger):
    return of(engine).matcher.upkeep.find(A, trigger, None)


def door(engine, resource=B):
    return of(engine).gate._doors[resource]


def deadlines(engine):
    return of(engine).matcher.deadlines


def hits(engine, trigger, value):
    session(engine).hits[rule(engine, trigger)] = value


def stray_wait(engine, trigger="t8", **changes):
    where = session(engine)
    one = rule(engine, trigger)
    wait = Wait(one, where, "toolFailed", ms(700), 1, 0)
    for name, value in changes.items():
        setattr(wait, name, value)
    where.waits[one] = wait


def other_rule() -> Rule:
    spec = RULES[0].definition.triggers[0].rule
    return Rule(RULES[0], "t1", None, spec, (0, 0, 0), (0, 0))


def gone_rule(engine):
    gone = other_rule()
    gone.alive = False
    gone.trigger = "t99"
    session(engine).hits[gone] = [ms(1)]


def lane(engine):
    return next(iter(deadlines(engine)._lanes.values()))


def late_lane(engine):
    first = lane(engine).waits[0]
    first.session.waits.pop(first.rule)
    first.due = 1


def unsorted(engine):
    queue = deadlines(engine)._queue
    queue._lists[0].reverse()


def dated(engine, date):
    one = door(engine)
    one.date = date
    of(engine).gate._dates.add((date, one.order, B))


def run(engine):
    return door(engine).runs.going[1]


def stray_settling(engine):
    stray = attrs.evolve(run(engine), name="stray")
    of(engine).gate._around.settling._heap.append((OrderKey(5, 0, 1, 0, ()), B, stray))


SABOTAGES = {
    # places and definitions
    "two automations stand at one place": lambda e: of(e).places.update({B: 0}),
    "an automation stands at the place of one to come": lambda e: of(e).places.update({B: 4}),
    "an automation stands at the place of one to come ": lambda e: of(e).places.update({B: -1}),
    "what the gate switched off is still watched": lambda e: of(e).gate.switched.append(B),
    "the gate has other definitions than the engine": lambda e: of(e).places.pop(B),
    "what is due at 180000 is looked for at 180001": lambda e: setattr(of(e), "next", 180_001),
    # rules
    "9 rules are watched and 8 filed": lambda e: setattr(of(e).matcher.index, "_size", 8),
    "is watched and was taken out": lambda e: setattr(rule(e, "t8"), "alive", False),
    "is not filed where it belongs": lambda e: of(e).matcher.index._everything.rules.pop(
        rule(e, "t1")
    ),
    "a rule is filed that nobody watches": lambda e: of(e).matcher.index._everything.rules.update(
        {other_rule(): None}
    ),
    "other sessions are named than filters name": lambda e: of(e).matcher.index._named.update(s=1),
    # sessions
    "session s is known as x": lambda e: of(e).matcher.sessions.update(x=session(e)),
    "its reach is that of other facts": lambda e: setattr(session(e), "facts", Facts(owner="o")),
    "a counter is negative": lambda e: setattr(session(e), "idles", -1),
    "more endings than events": lambda e: setattr(session(e), "endings", 99),
    "it was touched by no input": lambda e: setattr(session(e), "touched_seq", -1),
    "its turn started after it was last touched": lambda e: setattr(session(e), "turn_at", ms(999)),
    "a turn runs and is not known to": lambda e: of(e).matcher.upkeep.silences.turns.pop("s"),
    "a turn runs and is not known to, or the other way round": lambda e: setattr(
        session(e), "turn_at", None
    ),
    "no hits are stored as some": lambda e: setattr(session(e), "hits", {}),
    "no waits are stored as some": lambda e: setattr(session(e), "waits", {}),
    "is alive and not watched": lambda e: session(e).hits.update({other_rule(): 1}),
    "is gone and left something": gone_rule,
    "hits are kept that are never counted": lambda e: hits(e, "t5", 1),
    "hits are kept that are never counted of <Rule ahp-automation:/a#t7>": lambda e: hits(
        e, "t7", 1
    ),
    "a run goes on past the last event": lambda e: hits(e, "t2", [9, 1]),
    "0 calls are kept": lambda e: hits(e, "t3", {}),
    "1025 calls are kept": lambda e: hits(
        e, "t3", {("Bash", str(n)): [ms(3)] for n in range(1_025)}
    ),
    "3 hits are kept where 3 satisfy the count": lambda e: hits(e, "t8", 3),
    "0 hits are kept where 3 satisfy the count": lambda e: hits(e, "t8", 0),
    "0 hits are kept where 3 satisfy the count of <Rule ahp-automation:/a#t3>": lambda e: hits(
        e, "t3", {None: []}
    ),
    "hits are kept in the shape of another count": lambda e: hits(e, "t8", [ms(1)]),
    "hits are kept in the shape of another count of <Rule ahp-automation:/a#t1>": lambda e: hits(
        e, "t1", 1
    ),
    "instants of hits are out of order": lambda e: hits(e, "t1", [ms(2), ms(1)]),
    "instants of hits are out of order of <Rule ahp-automation:/a#t1>": lambda e: hits(
        e, "t1", [ms(999)]
    ),
    # waits
    "the wait is another's": lambda e: stray_wait(e, "t5", session=session(e, "own")),
    "the wait is another's of <Rule ahp-automation:/a#t5>": lambda e: stray_wait(
        e, "t5", rule=rule(e, "t6")
    ),
    "a wait for nothing": lambda e: stray_wait(e, "t8"),
    "a wait after 'toolCalled', which is not counted": lambda e: stray_wait(
        e, "t5", kind="toolCalled"
    ),
    "a wait after 'x', which is not counted": lambda e: stray_wait(e, "t5", kind="x"),
    "a wait was armed by no input": lambda e: stray_wait(e, "t5", seq=-1),
    "a quiet began after all that happened": lambda e: stray_wait(e, "t6", mark=99),
    # silences and deadlines
    "a silence due at 603000 is not timed": lambda e: setattr(session(e), "quiet", None),
    "its silence is timed for another": lambda e: setattr(
        session(e), "quiet", session(e, "own").quiet
    ),
    "the silence of s is no deadline": lambda e: deadlines(e)._queue.remove(session(e).quiet),
    "deadlines are out of order": unsorted,
    "the next deadline is another than the first": lambda e: setattr(deadlines(e), "next", 5),
    "a wait stands in the lane of another duration": lambda e: setattr(
        next(iter(deadlines(e)._lanes.values())), "duration", 1
    ),
    "a wait stands in the lane of another duration ": lambda e: setattr(
        rule(e, "t5"), "for_", ms(1)
    ),
    "waits lie in lanes and 99 are counted": lambda e: setattr(deadlines(e), "_queued", 99),
    "waits in s with 0 deadlines": lambda e: stray_wait(e, "t5"),
    "waits in s with 2 deadlines": lambda e: deadlines(e).insert(session(e).waits[rule(e, "t5")]),
    "a lane has no deadline": lambda e: setattr(lane(e), "head", None),
    "a lane has no deadline ": lambda e: lane(e).waits.clear(),
    "a lane has no deadline  ": lambda e: deadlines(e)._queue.remove(lane(e).head),
    "the deadline of a lane is not that of its first wait": lambda e: lane(e).waits.reverse(),
    "the deadline of a lane is late": late_lane,
    "a lane is out of order": lambda e: lane(e).waits.reverse(),
    # gate
    "its date is not waited for": lambda e: setattr(door(e), "date", ms(900)),
    "its date has passed": lambda e: dated(e, ms(130)),
    "other chats are watched than automations keep to": lambda e: of(e).gate._chats.update(x={B}),
    "other chats are watched than automations keep to ": lambda e: setattr(door(e), "chat", "x"),
    "a date is waited for that is not its own": lambda e: of(e).gate._dates.add((5, 1, B)),
    "a date is waited for that is not its own ": lambda e: of(e).gate._dates.add((5, 1, "x")),
    "stands for a run that is not kept": lambda e: (
        of(e).gate._around.requests["p1"].__setattr__("requests", ())
    ),
    "the request id 'p1' stands for a run that is not kept": lambda e: door(e).runs.known.clear(),
    "a run that nobody knows settles at 5": stray_settling,
    "it is removed and still watched": lambda e: setattr(door(e), "automation", None),
    "it is removed and still watched ": lambda e: (
        setattr(door(e), "automation", None),
        setattr(door(e), "on", False),
        setattr(door(e), "chat", "x"),
    ),
    "it stands at another place in the gate": lambda e: setattr(door(e), "order", 7),
    "a wake waits, and nothing is going": lambda e: door(e).runs.going.clear(),
    "a wake waits, and nothing is going ": lambda e: setattr(door(e), "on", False),
    "a wake waits for no event": lambda e: setattr(door(e).waiting, "count", 0),
    "the wake of another automation waits": lambda e: setattr(
        door(e).waiting, "told", attrs.evolve(door(e).waiting.told, automation=A)
    ),
    "the hour is out of order": lambda e: door(e).cap.instants.reverse(),
    "the hour is out of order, or": lambda e: door(e).cap.instants.append(ms(999)),
    "or holds more than the cap": lambda e: door(e).cap.instants.extend([ms(3)] * 19),
    "it has used less than nothing": lambda e: setattr(door(e), "run_count", -1),
    # runs
    "runs that are going are out of order": lambda e: door(e).runs.__setattr__(
        "going", {2: run(e), 1: run(e)}
    ),
    "1 runs that are over are kept": lambda e: (
        setattr(door(e).runs, "kept", 0),
        door(e).runs._over.append(run(e)),
    ),
    "2 runs that are over are kept": lambda e: door(e).runs._over.extend([run(e)] * 2),
    "a run is known as x and is called otherwise": lambda e: door(e).runs.known.update(x=run(e)),
    "a run is known as r1 and is called otherwise": lambda e: setattr(run(e), "automation", A),
    "run 1 of 0": lambda e: setattr(door(e).runs, "started", 0),
    "run 0 of 1": lambda e: setattr(run(e), "number", 0),
    "r1 is going and over": lambda e: setattr(run(e), "outcome", "failed"),
    "r1 is over, or not, and kept otherwise": lambda e: door(e).runs._over.append(run(e)),
    "r1 cannot be claimed": lambda e: setattr(run(e), "claimed", False),
    "a session of r1 is not one of the automation's own": lambda e: door(e).runs.sessions.clear(),
    "a request id of r1 stands for another run": lambda e: of(e).gate._around.requests.clear(),
    "run 1 is not known by its name": lambda e: door(e).runs.known.clear(),
    "run 7 is not known by its name": lambda e: door(e).runs._over.append(
        attrs.evolve(run(e), number=7)
    ),
    "the session last linked is not one of": lambda e: setattr(door(e).runs, "last_linked", "x"),
    # schedules and plugin triggers
    "other occurrences stand in order than are waited for": lambda e: of(
        e
    ).schedules._queue.clear(),
    f"{D} is off and waits for occurrences": lambda e: setattr(door(e, D), "on", False),
    "plugin triggers are filed that are not watched": lambda e: of(
        e
    ).plugin_events._by_type.clear(),
    "plugin triggers are filed that are not watched, or": lambda e: of(
        e
    ).plugin_events._by_event.update({("x", "y"): {}}),
    f"{C} is off and watches plugin events": lambda e: setattr(door(e, C), "on", False),
}


@pytest.mark.parametrize(("sentence", "sabotage"), SABOTAGES.items(), ids=SABOTAGES)
def test_a_broken_invariant_is_named(sentence, sabotage):
    engine = busy_engine()
    engine.check()
    sabotage(engine)
    with pytest.raises(AssertionError, match=re.escape(sentence.strip())):
        engine.check()


def test_many_broken_invariants_are_told_as_a_few():
    engine = Engine([automation(on("toolFailed", count={"n": 3}))], settings=Settings())
    engine.feed_many([fail(n, f"s{n}") for n in range(50)])
    for one in of(engine).matcher.sessions.values():
        one.idles = -1
    with pytest.raises(AssertionError) as caught:
        engine.check()
    assert str(caught.value).count("a counter is negative") == 20


def test_what_lies_lazily_is_sound():
    """Dead rules, broken waits and stale entries are dropped when somebody meets them."""
    rules = automation(
        on("toolFailed", then={"kind": "idle", "for": "9s"}),
        on("turnCompleted", id="t2", when={"turnLongerThan": "5s"}),
    )
    engine = Engine([rules])
    engine.feed_many([turn(0), fail(1), SessionEvent("turnCompleted", "s", ms(2))])
    engine.check()
    assert isinstance(lane(engine).waits, deque)
