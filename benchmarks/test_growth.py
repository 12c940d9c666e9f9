"""What an event costs as rules, owners, sessions and waits grow.

Run with ``pytest benchmarks/test_growth.py -s``. Ratios alone are told: each pair is measured
turn by turn.
"""

from itertools import islice
from random import Random

import pytest
from fed import CHUNK, Fed, fed_with, plain_matches
from measuring import in_turns, once, smaller, tell, without_collecting, yardstick
from plain_engine import PlainEngine
from workloads import FACTS, KINDS, MATCHING, automation, automations, day, rules_of

from wakeful import (
    AbsentFor,
    Count,
    Engine,
    EventWithin,
    Facts,
    Filter,
    SessionEvent,
    SessionRule,
    SessionTrigger,
    Tool,
)
from wakeful.model.events import EVENT_KINDS
from wakeful.model.time import HOUR, MINUTE

TURNS = 9
SESSIONS = 1_000


def costs(turns, *feds, sizes=None):
    """Seconds an event of each, fed turn by turn."""
    chunks = [iter(()) for _ in feds]
    sizes = sizes or [CHUNK] * len(feds)
    for place, (each, size) in enumerate(zip(feds, sizes, strict=True)):
        chunks[place] = iter([each.chunk(size) for _ in range(turns)])
    took = in_turns(
        turns,
        *(
            lambda each=each, ready=ready: each.engine.feed_many(next(ready))
            for each, ready in zip(feds, chunks, strict=True)
        ),
    )
    return [seconds / size for seconds, size in zip(took, sizes, strict=True)]


# -- with rules -------------------------------------------------------------------------


def test_growth_with_rules_of_others(benchmark, capsys):
    """A hundred thousand rules over ten, where ten watch each session of fifty projects."""
    benchmark.group = "growth"
    number = smaller(benchmark, 100_000, 1_000)
    turns = smaller(benchmark, 2 * TURNS, 1)

    def measure():
        return costs(turns, fed_with(10), fed_with(number))

    few, many = once(benchmark, measure)
    what = f"an event, {number:,} rules over 10, 50 projects"
    yardstick(benchmark, capsys, what, many / few, 1.2)


def own_rules(number):
    """Rules of which ten name each session, and the rest sessions that nobody has."""
    for place in range(number // 10):
        name = f"session-{place}" if place < SESSIONS else f"nobody-{place}"
        where = Filter(sessions=frozenset({name}))
        triggers = [
            SessionTrigger(
                id=f"t{index}",
                events=tuple(sorted(rule.events)),
                rule=SessionRule(
                    events=rule.events, count=rule.count, then=rule.then, when=rule.when,
                    filter=where,
                ),
            )
            for index, rule in enumerate(rules_of("mixed", frozenset({"p"})))
        ]  # fmt: skip
        yield automation(f"own-{place}", triggers)


def test_growth_with_rules_of_each_session(benchmark, capsys):
    """A hundred thousand rules, ten of which name each session, over ten that all have."""
    benchmark.group = "growth"
    number = smaller(benchmark, 100_000, 1_000)
    turns = smaller(benchmark, 2 * TURNS, 1)

    def measure():
        many = Fed(Engine(own_rules(number), settings=MATCHING), day(SESSIONS))
        return costs(turns, fed_with(10), many)

    few, many = once(benchmark, measure)
    what = f"an event, {number:,} rules over 10, ten of each session's own"
    yardstick(benchmark, capsys, what, many / few, 1.4)


# -- beside the plain engine --------------------------------------------------------------

PROJECTS, OWNERS = 50, 20
ASKED = {100: 10, 1_000: 50, 10_000: 300}


def spread(number):
    """Rules whose filters name one of fifty projects and one of twenty owners."""
    shapes = rules_of("mixed", frozenset())
    for place in range(number // 10):
        triggers = []
        for index in range(10):
            one = place * 10 + index
            shape = shapes[(one // 50 + one) % 10]
            where = Filter(
                projects=frozenset({f"live-{one % PROJECTS}"}),
                owners=frozenset({f"user:{one // PROJECTS % OWNERS}"}),
            )
            rule = SessionRule(
                events=shape.events, count=shape.count, then=shape.then, when=shape.when,
                filter=where,
            )  # fmt: skip
            trigger = SessionTrigger(id=f"t{index}", events=tuple(sorted(rule.events)), rule=rule)
            triggers.append(trigger)
        yield automation(f"spread-{place}", triggers)


def spread_day():
    """The day, of sessions with an owner each."""
    facts = tuple(
        Facts(
            owner=f"user:{place // PROJECTS % OWNERS}",
            provider="claude",
            project=f"live-{place % PROJECTS}",
        )
        for place in range(PROJECTS * OWNERS)
    )
    return day(SESSIONS, facts=facts)


def test_the_plain_engine_gives_the_same_matches_of_spread_filters():
    rules, log = list(spread(400)), list(islice(spread_day(), 8_000))
    expected = PlainEngine(rules).feed_many(log)
    assert expected
    assert expected == plain_matches(Engine(rules, settings=MATCHING).feed_many(log))


@pytest.mark.parametrize("number", ASKED)
def test_ahead_of_the_plain_engine_at_spread_filters(benchmark, capsys, number):
    benchmark.group = "ahead of the plain engine"
    asked = ASKED[number]
    number = smaller(benchmark, number, 100)
    turns = smaller(benchmark, 5, 1)
    few = max(200, CHUNK * 10 // number)

    def measure():
        rules = list(spread(number))
        ours = Fed(Engine(rules, settings=MATCHING), spread_day())
        plain = Fed(PlainEngine(rules), spread_day(), warm=few)
        return costs(turns, ours, plain, sizes=[CHUNK, few])

    ours, plain = once(benchmark, measure)
    what = f"ahead of the plain engine, {number:,} rules of 50 projects and 20 owners"
    yardstick(benchmark, capsys, what, plain / ours, asked, bound="at least")


@pytest.mark.parametrize("kind", KINDS)
def test_ahead_of_the_plain_engine_by_kind(benchmark, capsys, kind):
    benchmark.group = "ahead of the plain engine"
    turns = smaller(benchmark, 5, 1)
    few = smaller(benchmark, CHUNK // 10, 50)

    def measure():
        ours = fed_with(100, kind)
        plain = Fed(PlainEngine(automations(100, kind)), day(SESSIONS), warm=few)
        return costs(turns, ours, plain, sizes=[CHUNK, few])

    ours, plain = once(benchmark, measure)
    tell(benchmark, capsys, f"100 {kind} rules", {"kind": kind, "ahead": plain / ours})


def watching_all(number):
    """Rules without a filter, spread over the eight kinds, of seven shapes."""
    for place in range(number):
        kind = EVENT_KINDS[place % 8]
        other = EVENT_KINDS[(place + 3) % 8]
        count, then = [
            (Count(n=5, within=5 * MINUTE), None),
            (Count(n=5, consecutive=True), None),
            (Count(n=50), None),
            (Count(n=20, same_input=True), None),
            (Count(n=5), EventWithin(other, 10 * MINUTE)),
            (Count(n=5), AbsentFor(other, 5 * MINUTE)),
            (Count(n=20, within=20 * MINUTE), None),
        ][place // 8 % 7]
        rule = SessionRule(events=frozenset({kind}), count=count, then=then)
        yield automation(f"all-{place}", [SessionTrigger(id="t", events=(kind,), rule=rule)])


def every_kind(*, seed=3):
    """Events of a thousand sessions without end: as many calls as all else together."""
    dice = Random(seed)
    shares = dict.fromkeys(EVENT_KINDS, 8) | {"toolCalled": 36, "toolFailed": 16}
    kinds = dice.choices(list(shares), weights=list(shares.values()), k=7_919)
    tools = [Tool("Bash", f"sha256:{number}") for number in range(20)]
    at = 0
    while True:
        for kind in kinds:
            at += 20
            place = dice.randrange(SESSIONS)
            tool = tools[place % 20] if kind.startswith("tool") else None
            yield SessionEvent(
                kind, f"session-{place}", at, FACTS[place % len(FACTS)], True, 0, 0, tool
            )  # fmt: skip


def test_the_plain_engine_gives_the_same_matches_where_all_is_watched():
    rules, log = list(watching_all(100)), list(islice(every_kind(), 8_000))
    expected = PlainEngine(rules).feed_many(log)
    assert expected
    assert expected == plain_matches(Engine(rules, settings=MATCHING).feed_many(log))


def test_ahead_of_the_plain_engine_where_all_rules_watch_all(benchmark, capsys):
    """A hundred rules that watch every session, spread over the eight kinds."""
    benchmark.group = "ahead of the plain engine"
    turns = smaller(benchmark, TURNS, 1)
    size = smaller(benchmark, CHUNK, 200)
    warm = smaller(benchmark, 20_000, 200)

    def measure():
        rules = list(watching_all(100))
        ours = Fed(Engine(rules, settings=MATCHING), every_kind(), warm=warm)
        plain = Fed(PlainEngine(rules), every_kind(), warm=warm)
        return costs(turns, ours, plain, sizes=[size, size])

    ours, plain = once(benchmark, measure)
    what = "ahead of the plain engine, 100 rules that all watch every session"
    yardstick(benchmark, capsys, what, plain / ours, 5, bound="at least")


# -- with waits ---------------------------------------------------------------------------

RULES_WAITING = 100


def waiting_engine():
    rule = SessionRule(events=frozenset({"toolFailed"}), then=AbsentFor("toolCalled", HOUR))
    triggers = [
        SessionTrigger(id=f"t{number}", events=("toolFailed",), rule=rule)
        for number in range(RULES_WAITING)
    ]
    return Engine([automation("waits", triggers)], settings=MATCHING, at=0)


def wave(sessions, at):
    """In each session a hundred waits begin, one after another; then all but a hundredth break."""
    for number in range(sessions):
        yield SessionEvent("toolFailed", f"session-{number}", at, FACTS[0])
    for number in range(sessions):
        if number % 100 != 99:
            yield SessionEvent("toolCalled", f"session-{number}", at + MINUTE, FACTS[0])


def test_waits_armed_and_broken(benchmark, capsys):
    """Arming and breaking a wait among a million, over the same among a thousand."""
    benchmark.group = "growth"
    many = smaller(benchmark, 1_000_000, 20_000)

    def a_wave(waits, rounds):
        """Waves that end before the next begins: what was not broken falls due in between."""
        engine = waiting_engine()
        sessions = waits // RULES_WAITING
        waves = [list(wave(sessions, 2 * HOUR * number)) for number in range(rounds)]
        return engine, iter(waves), sessions * RULES_WAITING

    def measure():
        small, small_waves, _ = a_wave(1_000, many // 1_000)
        big, big_waves, _ = a_wave(many, 1)
        with without_collecting():
            of_many = in_turns(1, lambda: big.feed_many(next(big_waves)))[0]
            of_few = in_turns(1, lambda: [small.feed_many(each) for each in small_waves])[0]
        assert big.statistics().waits == many // 100
        return of_many / many, of_few / many

    of_many, of_few = once(benchmark, measure)
    tell(benchmark, capsys, "a wait armed and broken", {"microseconds": of_many * 1e6})
    what = f"a wait armed and broken, {many:,} of them over a thousand"
    yardstick(benchmark, capsys, what, of_many / of_few, 1.5)
