"""Replays of native logs: beside decoding the same lines, and beside a hand-written loop.

Run with ``pytest benchmarks/test_replay.py -s``. A thousand rules of the four kinds, ten of
which watch each session. ``WAKEFUL_BENCH_EVENTS`` says how long the log is.
"""

from collections.abc import Iterator
from datetime import datetime
from itertools import islice

import msgspec
import native_log
import pytest
from measuring import in_turns, once, smaller, tell, yardstick
from peers.four_kinds import EVENTS
from peers.hand_loop import Recording
from workloads import automations, day

from wakeful import Activity, Facts, Match, SessionEvent, Tool, TurnStarted, open_logs
from wakeful.replay import Replay, decision_record, json_line

RULES = 1_000
SESSIONS = 1_000
TURNS = 3
CHUNK = 256


class _Tool(msgspec.Struct, rename="camel", gc=False):
    name: str
    input_hash: str | None = None


class _Line(msgspec.Struct, rename="camel", gc=False):
    at: str
    kind: str
    session: str
    owner: str | None = None
    provider: str | None = None
    project: str | None = None
    folders: tuple[str, ...] = ()
    automated: bool = False
    running: bool | None = None
    queued: int | None = None
    turn_tool_calls: int | None = None
    tool: _Tool | None = None
    child: str | None = None
    title: str | None = None


class _Dated(_Line, rename="camel", gc=False):
    at: datetime


def decoded(log):
    """The lines as msgspec's own records, a chunk of them at a time: how many there were."""
    decode, count = msgspec.json.Decoder(_Line).decode, 0
    with log.open("rb") as file:
        while chunk := [decode(line) for line in islice(file, CHUNK)]:
            count += len(chunk)
    return count


def inputs_of(lines) -> Iterator[SessionEvent | TurnStarted | Activity]:
    """The same inputs as the reader's, with facts and tools shared, as somebody would write it."""
    decode = msgspec.json.Decoder(_Dated).decode
    facts: dict[tuple[str | None, ...], Facts] = {}
    tools: dict[tuple[str, str | None], Tool] = {}
    for line in lines:
        one = decode(line)
        at = round(one.at.timestamp() * 1_000)
        if one.kind == "activity":
            yield Activity(one.session, at)
            continue
        key = (one.owner, one.provider, one.project, *one.folders)
        known = facts.get(key)
        if known is None:
            known = facts[key] = Facts(
                owner=one.owner, provider=one.provider, project=one.project, folders=one.folders
            )
        if one.kind == "turnStarted":
            yield TurnStarted(one.session, at, known)
            continue
        tool = one.tool
        if tool is not None:
            call = tool.name, tool.input_hash
            tool = tools.get(call)
            if tool is None:
                tool = tools[call] = Tool(*call)
        yield SessionEvent(
            one.kind, one.session, at, known, one.running, one.queued, one.turn_tool_calls,
            tool, one.child, one.title,
        )  # fmt: skip


def by_hand(log, rules):
    """The hand-written loop over a log: the records of its matches."""
    loop, records = Recording(rules), []
    with log.open("rb") as file:
        while chunk := list(inputs_of(islice(file, CHUNK))):
            records += loop.feed([each for each in chunk if type(each) is SessionEvent])
    return records


def replayed(log, rules):
    """A replay of a log: how many outputs it had."""
    with open_logs([log]) as inputs:
        return sum(1 for _ in Replay(rules).outputs(inputs))


@pytest.fixture(scope="module")
def size(request):
    """How many events the log has."""
    return 2_000 if request.config.getoption("benchmark_disable") else EVENTS


@pytest.fixture(scope="module")
def log(tmp_path_factory, size):
    path = tmp_path_factory.mktemp("replay") / "log.jsonl"
    return native_log.write(path, islice(day(min(SESSIONS, size // 20)), size))


def test_the_hand_written_loop_finds_the_same(tmp_path):
    log = native_log.write(tmp_path / "log.jsonl", islice(day(60), 6_000))
    rules = automations(100, "four")
    with open_logs([log]) as inputs:
        expected = [
            (each.at, each.automation, each.trigger, each.session, each.event, each.count)
            for each in Replay(rules).outputs(inputs)
            if isinstance(each, Match)
        ]
    found = [
        (each.at, each.automation, each.trigger, each.session, each.event, each.count)
        for each in by_hand(log, rules)
    ]
    assert expected
    assert sorted(expected) == sorted(found + still_due(expected, found))


def still_due(expected, found):
    """What fell due at the end, by an input that is no event: the loop looks at events only."""
    last = max(each[0] for each in found)
    return [each for each in expected if each[0] > last]


def test_the_chunks_hold_the_same_inputs(log):
    with open_logs([log]) as inputs, log.open("rb") as file:
        assert list(islice(inputs, 500)) == list(islice(inputs_of(file), 500))


def test_a_replay_beside_decoding_and_by_hand(benchmark, capsys, log, size):
    benchmark.group = "replay"
    rules = automations(RULES, "four")
    turns = smaller(benchmark, TURNS, 1)

    def measure():
        return in_turns(
            turns, lambda: decoded(log), lambda: by_hand(log, rules), lambda: replayed(log, rules)
        )

    decoding, hand, whole = once(benchmark, measure)
    figures = {
        "events": size,
        "decoded_per_second": round(size / decoding),
        "by_hand_per_second": round(size / hand),
        "replayed_per_second": round(size / whole),
    }
    tell(benchmark, capsys, "a replay under 1 000 rules", figures)
    yardstick(benchmark, capsys, "a replay, to decoding its lines", whole / decoding, 6)
    yardstick(benchmark, capsys, "a replay, to a hand-written loop", whole / hand, 3)


@pytest.mark.parametrize("number", [10, 1_000, 10_000])
def test_replay_end_to_end(benchmark, log, number, size):
    """From the bytes of a native log to the bytes of its decisions, messages filled."""
    benchmark.group = "replay end to end"
    benchmark.extra_info |= {"axis": "rules, end to end", "number": number}

    def setup():
        return (Replay(automations(smaller(benchmark, number, 100))),), {}

    def replay(made):
        with open_logs([log]) as inputs:
            return sum(
                len(json_line(decision_record(each)))
                for each in made.outputs(inputs)
                if not isinstance(each, Match)
            )

    assert benchmark.pedantic(replay, setup=setup, rounds=2)
    if benchmark.stats is not None:
        benchmark.extra_info["events_per_second"] = round(size / benchmark.stats.stats.median)
