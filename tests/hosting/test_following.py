"""Following logs live comes to what a replay of the same files comes to."""

import asyncio
import json
import os
import random

import pytest

from hosting.following_world import LAG, LOGS, Following, replayed, shared_logs
from hosting.hosting_world import AT, HOUR, MINUTE, automation
from hosting.log_player import Writing, writings
from wakeful import format_instant

needs_logs = pytest.mark.skipif(
    not shared_logs(), reason="the recorded logs of agents are not beside this checkout"
)
FAILS = automation("fails", count={"n": 3, "within": "10m"})
QUIET = automation("quiet", then={"kind": "idle", "for": "5m"})


def line(at, kind="toolFailed", session="s", **members):
    record = {"at": format_instant(at), "kind": kind, "session": session, **members}
    return json.dumps(record).encode() + b"\n"


def writing(path, at, data=None, number=0, **members):
    return Writing(at, number, path, line(at, **members) if data is None else data)


def run(scene):
    return asyncio.run(scene())


def ats(live):
    return [one["at"] for one in live.decisions]


@needs_logs
@pytest.mark.parametrize("source", shared_logs(), ids=lambda path: path.stem)
def test_a_log_that_is_followed_wakes_as_its_replay(source, tmp_path):
    async def scene():
        target = tmp_path / source.name
        async with Following(tmp_path, min(writings(source, target)).at - 1) as live:
            await live.play((source, target))
            await live.clock.advance(LAG)
        return live

    live = run(scene)
    wanted = replayed(tmp_path)

    # Time goes on in a watch, and a replay ends with its log.
    assert live.decisions[: len(wanted)] == wanted
    assert (live.troubles, live.follower.report.unreadable) == ([], 0)


@needs_logs
def test_logs_of_two_agents_at_once_wake_as_their_replay(tmp_path):
    pairs = [
        (LOGS / name, tmp_path / agent / "a" / name)
        for agent, name in (
            ("claude", "claude-code-commit-hook-loop.jsonl"),
            ("more", "claude-code-subagent-cascade.jsonl"),
        )
    ]

    async def scene():
        steps = [one for pair in pairs for one in writings(*pair)]
        async with Following(tmp_path, min(steps).at - 1) as live:
            await live.play(*pairs)
            await live.clock.advance(LAG)
        return live.decisions

    decisions = run(scene)
    wanted = replayed(tmp_path)

    assert len(wanted) > 1
    assert decisions[: len(wanted)] == wanted


def test_what_is_in_a_log_already_wakes_nothing(tmp_path):
    path = tmp_path / "log.jsonl"
    for number in range(3):
        writing(path, AT - 60_000 + number).do()

    async def scene():
        async with Following(tmp_path, AT, [FAILS]) as live:
            await live.write(writing(path, AT + 1))
            await live.write(writing(path, AT + 2))
            await live.clock.advance(LAG)
            two = ats(live)
            await live.write(writing(path, AT + 5_000))
            await live.clock.advance(LAG)
        return two, ats(live)

    assert run(scene) == ([], [format_instant(AT + 5_000)])


def test_what_was_in_a_log_teaches_its_reader(tmp_path):
    """A transcript names its folder and title at the top; who joins later knows them."""
    path = tmp_path / "s.jsonl"
    head = {"sessionId": "s", "cwd": "/home/ann/web", "version": "2.1.0"}
    prompt = {"type": "user", "uuid": "1", "message": {"role": "user", "content": "go"}}
    title = {"type": "custom-title", "customTitle": "Web", "sessionId": "s"}
    for record in ({**head, **prompt, "timestamp": format_instant(AT - 60_000)}, title):
        writing(path, AT, json.dumps(record).encode() + b"\n").do()
    call = {
        "type": "assistant",
        "uuid": "2",
        "sessionId": "s",
        "message": {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}],
        },
    }
    result = {
        "type": "user",
        "uuid": "3",
        "sessionId": "s",
        "message": {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t", "is_error": True}],
        },
    }
    rule = automation("web", filter={"folders": ["file:///home/ann/web"]})

    async def scene():
        async with Following(tmp_path, AT, [rule]) as live:
            for at, record in ((AT + 1, call), (AT + 2, result)):
                data = json.dumps({**record, "timestamp": format_instant(at)}).encode() + b"\n"
                await live.write(writing(path, at, data))
            await live.clock.advance(LAG)
        return live.decisions

    (start,) = run(scene)
    assert start["at"] == format_instant(AT + 2)
    assert "Session: Web (s)" in start["message"]


def test_a_file_of_another_agent_that_appears_is_followed(tmp_path):
    other = tmp_path / "later" / "deeper" / "rollout-x.jsonl"
    meta = {"type": "session_meta", "payload": {"id": "c1", "cwd": "/home/ann/api"}}
    call = {
        "type": "response_item",
        "payload": {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "1"},
    }
    output = {
        "type": "response_item",
        "payload": {
            "type": "function_call_output",
            "call_id": "1",
            "output": '{"output":"","metadata":{"exit_code":1}}',
        },
    }

    async def scene():
        async with Following(tmp_path, AT, [automation()]) as live:
            await live.write(writing(tmp_path / "log.jsonl", AT + 1, kind="toolCalled"))
            for number, record in enumerate((meta, call, output), 10):
                data = json.dumps({"timestamp": format_instant(AT + number), **record}).encode()
                await live.write(writing(other, AT + number, data + b"\n"))
            await live.clock.advance(LAG)
        return [one["session"] for one in live.decisions]

    assert run(scene) == ["c1"]


def test_a_file_that_is_moved_in_brings_none_of_its_past(tmp_path):
    away = tmp_path / "away.jsonl"
    for number in range(3):
        writing(away, AT - HOUR + number).do()
    folder = tmp_path / "logs"
    folder.mkdir()

    async def scene():
        async with Following(folder, AT, [FAILS]) as live:
            await live.until(AT + 1_000)
            away.rename(folder / "log.jsonl")
            await live.look()
            await live.clock.advance(LAG + 1_000)
        return live.decisions

    assert run(scene) == []


def test_a_rotated_log_goes_on(tmp_path):
    path = tmp_path / "log.jsonl"

    async def scene():
        async with Following(tmp_path, AT, [FAILS]) as live:
            await live.write(writing(path, AT + 1_000))
            # Written just before it was rotated, and not looked at yet.
            await live.until(AT + 2_000)
            writing(path, AT + 2_000).do()
            path.rename(tmp_path / "log.1")
            await live.write(writing(path, AT + 3_000))
            await live.clock.advance(LAG)
        return ats(live)

    assert run(scene) == [format_instant(AT + 3_000)]


def test_a_truncated_log_goes_on_and_tells_nothing_twice(tmp_path):
    path = tmp_path / "log.jsonl"

    async def scene():
        async with Following(tmp_path, AT, [FAILS]) as live:
            for number in (1, 2):
                await live.write(writing(path, AT + number * 5_000))
            os.truncate(path, 0)
            # Compacted: what was there is written again, and then something new.
            again = line(AT + 5_000) + line(AT + 10_000) + line(AT + 15_000)
            await live.write(writing(path, AT + 15_000, again))
            await live.clock.advance(LAG)
        return ats(live)

    assert run(scene) == [format_instant(AT + 15_000)]


def test_a_half_written_line_is_read_when_it_is_whole(tmp_path):
    path = tmp_path / "log.jsonl"
    text = line(AT + 1)

    async def scene():
        async with Following(tmp_path, AT, [automation()]) as live:
            await live.write(writing(path, AT + 1, text[:20]))
            await live.clock.advance(500)
            await live.write(writing(path, live.clock.now(), text[20:]))
            await live.clock.advance(LAG)
        return ats(live), live.follower.report.unreadable

    assert run(scene) == ([format_instant(AT + 1)], 0)


def test_a_line_that_cannot_be_read_is_counted_and_the_rest_goes_on(tmp_path):
    path = tmp_path / "log.jsonl"

    async def scene():
        async with Following(tmp_path, AT, [automation()]) as live:
            await live.write(writing(path, AT + 1, line(AT + 1, "idle") + b"{nonsense}\n"))
            await live.write(writing(path, AT + 2))
            await live.clock.advance(LAG)
        return ats(live), [
            str(one).removeprefix(f"{path}: ")[:8] for one in live.follower.report.problems
        ]

    assert run(scene) == ([format_instant(AT + 2)], ["at byte "])


def test_files_that_are_no_logs_are_left_alone(tmp_path):
    async def scene():
        async with Following(tmp_path, AT, [automation()]) as live:
            for name, data in (
                ("a.json", b'{"some": "settings"}'),
                ("b.jsonl", b"\0\0\n"),
                ("c.jsonl", b""),
            ):
                await live.write(writing(tmp_path / name, AT + 1, data))
            await live.clock.advance(LAG)
        return live.decisions, live.follower.report.unreadable

    assert run(scene) == ([], 0)


def test_records_that_come_late_by_less_than_the_lag_are_put_in_order(tmp_path):
    shuffled = random.Random(1)
    instants = [AT + 1_000 + 400 * number for number in range(60)]
    kinds = [shuffled.choice(["toolFailed", "toolCalled", "turnStarted"]) for _ in instants]
    steps = []
    for number, (at, kind) in enumerate(zip(instants, kinds, strict=True)):
        path = tmp_path / f"{shuffled.randrange(3)}.jsonl"
        late = at + shuffled.randrange(LAG - 1)
        steps.append(Writing(late, number, path, line(at, kind)))
    rule = automation("run", count={"n": 2, "consecutive": True})

    async def scene():
        async with Following(tmp_path, AT, [rule]) as live:
            for step in sorted(steps):
                await live.write(step)
            await live.clock.advance(2 * LAG)
        return live.decisions, live.engine.statistics().late

    decisions, late = run(scene)
    whole = tmp_path / "sorted"
    whole.mkdir()
    (whole / "all.jsonl").write_bytes(b"".join(map(line, instants, kinds)))

    assert decisions == replayed(whole, [rule])
    assert (len(decisions) > 2, late) == (True, 0)


def test_a_record_that_comes_later_than_the_lag_is_taken_and_counted_as_late(tmp_path):
    path = tmp_path / "log.jsonl"

    async def scene():
        async with Following(tmp_path, AT, [automation()]) as live:
            await live.until(AT + MINUTE)
            await live.write(writing(path, AT + MINUTE, line(AT + 1_000)))
            await live.clock.advance(LAG)
        return len(live.decisions), live.engine.statistics().late

    assert run(scene) == (1, 1)


def test_quiet_wakes_while_nothing_is_written(tmp_path):
    async def scene():
        async with Following(tmp_path, AT, [QUIET]) as live:
            await live.write(writing(tmp_path / "log.jsonl", AT + 1_000))
            await live.clock.advance(5 * MINUTE + LAG)
        return ats(live)

    assert run(scene) == [format_instant(AT + 1_000 + 5 * MINUTE)]


def test_a_machine_that_slept_tells_what_was_written_before_first_and_wakes_late(tmp_path):
    path = tmp_path / "log.jsonl"

    async def scene():
        async with Following(tmp_path, AT, [QUIET]) as live:
            await live.write(writing(path, AT + 1_000))
            live.clock.step(8 * HOUR)
            await live.clock.advance(MINUTE)
        return [(one["at"], one.get("late")) for one in live.decisions]

    assert run(scene) == [(format_instant(AT + 1_000 + 5 * MINUTE), True)]


class TestGoingOn:
    """A watch that was stopped goes on from its state."""

    def test_it_reads_what_was_written_meanwhile_and_nothing_twice(self, tmp_path):
        path = tmp_path / "log.jsonl"

        async def scene():
            async with Following(tmp_path, AT, [FAILS]) as first:
                await first.write(writing(path, AT + 1_000))
                await first.clock.advance(LAG)
                await first.write(writing(path, AT + 4_000))  # held back when it stops
                state = json.loads(json.dumps(first.follower.state()))
                snapshot = first.engine.snapshot()
            writing(path, AT + 60_000).do()
            second = Following(tmp_path, AT + 120_000, [FAILS], state=state, snapshot=snapshot)
            async with second as live:
                await live.clock.advance(LAG)
            return ats(first), ats(live)

        assert run(scene) == ([], [format_instant(AT + 60_000)])

    def test_lines_that_were_given_out_of_order_are_not_given_again(self, tmp_path):
        path = tmp_path / "log.jsonl"

        async def scene():
            async with Following(tmp_path, AT, [FAILS]) as first:
                # The first line is held back longer than the second, which stands behind it.
                both = line(AT + 3_500) + line(AT + 1_000)
                await first.write(writing(path, AT + 3_600, both))
                await first.clock.advance(0)
                state = first.follower.state()
                snapshot = first.engine.snapshot()
                (file,) = state["files"].values()
            second = Following(tmp_path, AT + 60_000, [FAILS], state=state, snapshot=snapshot)
            async with second as live:
                await live.clock.advance(LAG)
                hits = live.engine.statistics().hits
            return file["offset"], len(file["given"]), hits

        assert run(scene) == (0, 1, 2)

    def test_a_file_that_came_meanwhile_is_read_from_where_the_watch_stopped(self, tmp_path):
        async def scene():
            async with Following(tmp_path, AT, [FAILS]) as first:
                await first.until(AT + 10_000)
                state, snapshot = first.follower.state(), first.engine.snapshot()
            new = tmp_path / "new.jsonl"
            for at in (AT - 5_000, AT + 20_000, AT + 21_000, AT + 22_000):
                writing(new, at).do()
            second = Following(tmp_path, AT + 60_000, [FAILS], state=state, snapshot=snapshot)
            async with second as live:
                await live.clock.advance(LAG)
            return ats(live)

        assert run(scene) == [format_instant(AT + 22_000)]

    def test_a_file_that_was_rotated_meanwhile_is_read_from_its_beginning(self, tmp_path):
        path = tmp_path / "log.jsonl"

        async def scene():
            async with Following(tmp_path, AT, [automation()]) as first:
                await first.write(writing(path, AT + 1_000))
                await first.clock.advance(LAG)
                state, snapshot = first.follower.state(), first.engine.snapshot()
            path.rename(tmp_path / "log.1")
            writing(path, AT + 30_000).do()
            second = Following(
                tmp_path, AT + 60_000, [automation()], state=state, snapshot=snapshot
            )
            async with second as live:
                await live.clock.advance(LAG)
            return ats(first), ats(live)

        assert run(scene) == ([format_instant(AT + 1_000)], [format_instant(AT + 30_000)])
