"""A command a wake: no shell, a time limit, only so many at once, and told of."""

import asyncio
import json
import sys
import time

from wakeful import Decision, DecisionKind, OrderKey
from wakeful.hosting.commands import CommandRunner
from wakeful.replay import decision_record, json_line


def wake(number=0, session="s"):
    return Decision(
        at=number,
        automation="a",
        kind=DecisionKind.START,
        key=OrderKey(number, 1, 0, number, ()),
        session=session,
    )


def ran(command, *wakes, **options):
    async def scene():
        over, all_over = [], asyncio.Event()

        def ended(one):
            over.append(one)
            if len(over) == len(wakes):
                all_over.set()

        commands = CommandRunner(
            command, line=lambda one: json_line(decision_record(one)), ended=ended, **options
        )
        for one in wakes:
            commands.run(one)
        await all_over.wait()
        await commands.close()
        return over

    return asyncio.run(scene())


def python(code, *arguments):
    return [sys.executable, "-c", code, *map(str, arguments)]


def test_the_decision_is_on_standard_input_as_json(tmp_path):
    code = "import sys; open(sys.argv[1], 'w').write(sys.stdin.read())"
    (over,) = ran(python(code, tmp_path / "out"), wake())

    assert (over.outcome, over.status) == ("completed", 0)
    assert json.loads((tmp_path / "out").read_text()) == decision_record(wake())


def test_nothing_of_a_log_is_ever_part_of_a_command(tmp_path):
    mark = tmp_path / "mark"
    code = "import sys; open(sys.argv[1], 'w').write(repr(sys.argv[2:]))"
    ran(python(code, tmp_path / "out", "$(touch x)", "; ls"), wake(session=f"$(touch {mark})"))

    assert (tmp_path / "out").read_text() == "['$(touch x)', '; ls']"
    assert not mark.exists()


def test_a_command_that_fails_is_told_of_with_what_it_said():
    (over,) = ran(python("import sys; sys.exit('no agent here')"), wake())

    assert (over.outcome, over.status, over.message) == ("failed", 1, "no agent here")


def test_a_command_that_is_not_there_is_told_of():
    (over,) = ran(["/no/such/command"], wake())

    assert (over.outcome, over.status) == ("failed", None)
    assert over.message == "/no/such/command: No such file or directory"


def test_a_command_that_hangs_is_ended_with_all_it_began(tmp_path):
    code = (
        "import subprocess, sys, time; "
        "subprocess.Popen([sys.executable, '-c', "
        "'import time, sys; time.sleep(1.5); open(sys.argv[1], \"w\")', sys.argv[1]]); time.sleep(60)"
    )
    began = time.monotonic()
    (over,) = ran(python(code, tmp_path / "child"), wake(), seconds=0.4)
    took = time.monotonic() - began
    time.sleep(1.5)

    assert (over.outcome, over.message) == ("timedOut", "took over 0.4 s")
    assert took < 5
    assert not (tmp_path / "child").exists()


def test_a_command_that_reads_nothing_and_says_much_is_no_trouble():
    code = "import sys; sys.stderr.write('x' * 3_000_000)"
    (over,) = ran(python(code), wake(session="s" * 200_000))

    assert (over.outcome, len(over.message)) == ("completed", 2_000)


def test_no_more_run_at_once_than_may_and_the_others_wait(tmp_path):
    code = (
        "import os, sys, time; folder = sys.argv[1]; me = os.path.join(folder, str(os.getpid())); "
        "open(me, 'w'); time.sleep(0.1); print(len(os.listdir(folder)), file=sys.stderr); os.remove(me)"
    )
    overs = ran(python(code, tmp_path), *map(wake, range(5)), at_once=2)

    assert [one.decision.at for one in overs][-1] == 4
    assert max(int(one.message) for one in overs) <= 2


def test_what_never_began_is_owed_when_it_is_closed():
    async def scene():
        commands = CommandRunner(
            python("import time; time.sleep(30)"), line=str, ended=lambda over: None, at_once=1
        )
        for number in range(3):
            commands.run(wake(number))
        await asyncio.sleep(0)
        owed = await commands.close(grace=0.05)
        return [one.at for one in owed], commands.running

    assert asyncio.run(scene()) == ([1, 2], 0)
