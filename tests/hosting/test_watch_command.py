"""``wakeful watch`` as people run it: a process, real files, a real terminal."""

import json
import shutil
import signal
import subprocess
import sys
import time
import uuid

import pytest

from hosting.following_world import LOGS, shared_logs
from hosting.log_player import Writing, writings
from wakeful import format_instant, parse_instant
from wakeful.cli import main

AT = parse_instant("2026-10-07T14:20:00Z")
SPEED = 400
WATCH = [sys.executable, "-m", "wakeful.cli", "watch"]


@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "rules.json"
    trigger = {"id": "t", "kind": "event", "type": "session", "events": [{"id": "toolFailed"}]}
    quiet = {**trigger, "config": {"then": {"kind": "idle", "for": "5m"}}}
    automations = [
        {"id": id_, "title": id_, "message": {"text": "look"}, "triggers": [one]}
        for id_, one in (("fails", trigger), ("quiet", quiet))
    ]
    path.write_text(json.dumps({"automations": automations}))
    return path


class Watched:
    """A running watch over a folder, and what is written there at its clock's pace."""

    def __init__(
        self, tmp_path, rules, *options, origin=AT, speed=SPEED, number=0, stdout=None, lag="1s"
    ):
        self.out = tmp_path / f"out{number}.jsonl"
        self.logs = tmp_path / "logs"
        self.logs.mkdir(exist_ok=True)
        self.socket = tmp_path / f"w{number}.sock"
        self.origin, self.speed = origin, speed
        out = self.out.open("wb")
        self.process = subprocess.Popen(
            [
                *WATCH,
                str(self.logs),
                "--rules",
                str(rules),
                "--socket",
                str(self.socket),
                "--origin",
                format_instant(origin),
                "--speed",
                str(speed),
                "--lag",
                lag,
                *options,
            ],
            stdout=out.fileno() if stdout is None else stdout,
            stderr=subprocess.PIPE,
            text=True,
        )
        out.close()
        until(self.socket.exists)
        self.began = time.monotonic()

    def play(self, steps):
        for step in sorted(steps):
            left = (step.at - self.origin) / 1_000 / self.speed - (time.monotonic() - self.began)
            time.sleep(max(left, 0))
            step.do()

    @property
    def decisions(self):
        return [json.loads(line) for line in self.out.read_text().splitlines()]

    def end(self, count=0, number=signal.SIGINT):
        """Wait for so many decisions, then stop it."""
        until(lambda: len(self.decisions) >= count)
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=20)
        return self.process.returncode, self.decisions, err


@pytest.fixture
def watching(tmp_path, rules):
    begun = []

    def watch(*options, rules=rules, **how):
        begun.append(Watched(tmp_path, rules, *options, **how))
        return begun[-1]

    yield watch
    for watched in begun:
        watched.process.kill()
        watched.process.communicate()


def until(holds, seconds=15.0):
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "did not come"
        time.sleep(0.02)


def step(path, seconds, kind="toolFailed", session="s"):
    at = AT + seconds * 1_000
    line = json.dumps({"at": format_instant(at), "kind": kind, "session": session})
    return Writing(at, seconds, path, line.encode() + b"\n")


def told(decisions):
    return [
        (one["automation"].rpartition("/")[2], one["at"], one.get("late", False))
        for one in decisions
    ]


def at(seconds):
    return format_instant(AT + seconds * 1_000)


@pytest.mark.skipif(not shared_logs(), reason="the recorded logs are not beside this checkout")
def test_recorded_transcripts_at_their_own_pace_wake_as_their_replay(watching, tmp_path, capsys):
    # Two agents' sessions, the second in a folder that comes while the first is at work.
    first = LOGS / "claude-code-commit-hook-loop.jsonl"
    second = LOGS / "claude-code-subagent-cascade.jsonl"
    logs = tmp_path / "logs"
    steps = [
        *writings(first, logs / "a" / first.name),
        *writings(second, logs / "b" / "c" / second.name),
    ]
    begin = min(steps).at - 10_000
    watched = watching("--json", rules="@", origin=begin, speed=2_400, lag="3s")
    watched.play(steps)
    assert main(["replay", str(logs), "--rules", "@", "--json", "-q"]) == 0
    wanted = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    status, decisions, err = watched.end(len(wanted))

    assert (status, len(wanted) > 2) == (130, True)
    assert decisions[: len(wanted)] == wanted
    assert "not read" not in err


def test_files_rotated_cut_and_new_are_followed_by_a_running_watch(watching, tmp_path):
    watched = watching("--json")
    log, late = watched.logs / "log.jsonl", watched.logs / "deep" / "er" / "late.jsonl"
    # Between a rotation and what is written next there is a moment, or who looks is too late.
    watched.play([step(log, 100), step(log, 180)])
    time.sleep(0.3)
    log.rename(watched.logs / "log.1")
    watched.play([step(log, 260), step(late, 300, session="other")])
    time.sleep(0.3)
    log.write_bytes(b"")
    watched.play([step(log, 420)])
    status, decisions, err = watched.end(6, signal.SIGTERM)

    fails = [one for one in told(decisions) if one[0] == "fails"]
    assert fails == [("fails", at(seconds), False) for seconds in (100, 180, 260, 300, 420)]
    assert (status, "5 inputs" in err) == (0, True)


def test_a_watch_that_goes_on_from_its_state_misses_nothing(watching, tmp_path):
    state = tmp_path / "state.json"
    first = watching("--json", "--state", str(state))
    log = first.logs / "log.jsonl"
    first.play([step(log, 100)])
    _, before, _ = first.end(1)
    step(log, 20_000).do()
    second = watching("--json", "--state", str(state), origin=AT + 30_000_000, number=2)
    _, after, _ = second.end(3)

    assert told(before) == [("fails", at(100), False)]
    # What fell due while nobody watched is late; what was written then counts as it happened.
    assert told(after) == [
        ("quiet", at(400), True),
        ("fails", at(20_000), False),
        ("quiet", at(20_300), True),
    ]


def test_a_state_that_is_none_is_refused(tmp_path, rules, capsys):
    state = tmp_path / "state.json"
    state.write_text("{}")

    assert main(["watch", str(tmp_path), "--rules", str(rules), "--state", str(state)]) == 1
    assert "is no state of wakeful watch" in capsys.readouterr().err


def test_a_command_runs_for_each_wake(watching, tmp_path):
    script = tmp_path / "keep.py"
    script.write_text("import sys; open(sys.argv[1], 'a').write(sys.stdin.read())")
    kept = tmp_path / "kept.jsonl"
    command = f"{sys.executable} '{script}' '{kept}'"
    watched = watching("--json", "--exec", command)
    watched.play([step(watched.logs / "log.jsonl", 100)])
    _, decisions, err = watched.end(2)

    assert [json.loads(line) for line in kept.read_text().splitlines()] == decisions
    assert ("command" in err, len(decisions) > 0) == (False, True)


def test_runs_may_last_as_long_as_their_command(watching, tmp_path):
    command = f"{sys.executable} -c 'import time; time.sleep(1)'"
    watched = watching("--json", "--exec", command, "--run-time", "exec")
    log = watched.logs / "log.jsonl"
    watched.play([step(log, 100), step(log, 101), step(log, 102)])
    _, decisions, _ = watched.end(5)

    words = [one["decision"] for one in decisions if one["automation"].endswith("fails")]
    assert words == ["start", "hold", "fold", "release"]


def test_a_command_that_fails_is_told_of(watching, tmp_path):
    watched = watching("--json", "--exec", "/no/such/command")
    watched.play([step(watched.logs / "log.jsonl", 100)])
    _, _, err = watched.end(1)

    assert "the command of ahp-automation:/fails: /no/such/command: No such file" in err


def test_hooks_are_heard_by_a_running_watch(watching, tmp_path):
    watched = watching("--json")
    payload = {"hook_event_name": "PostToolUseFailure", "session_id": "h", "tool_name": "Bash"}
    done = subprocess.run(
        [sys.executable, "-m", "wakeful.cli", "hook", "--socket", str(watched.socket)],
        input=json.dumps(payload).encode(),
        check=False,
        timeout=20,
    )
    _, decisions, _ = watched.end(1)

    assert (done.returncode, [one["session"] for one in decisions][:1]) == (0, ["h"])


def test_a_pipe_that_is_closed_ends_the_watch(watching, tmp_path):
    watched = watching("--json", stdout=subprocess.PIPE)
    watched.process.stdout.close()
    log = watched.logs / "log.jsonl"
    watched.play([step(log, 100), step(log, 110)])
    status = watched.process.wait(15)
    err = watched.process.stderr.read()
    watched.process.stderr.close()

    assert (status, "Traceback" in err) == (0, False)


def test_a_second_watch_at_the_same_socket_is_refused(watching, tmp_path, rules, capsys):
    watched = watching("--json")
    status = main(["watch", str(tmp_path), "--rules", str(rules), "--socket", str(watched.socket)])
    said = capsys.readouterr().err
    watched.process.send_signal(signal.SIGINT)
    watched.process.communicate(timeout=20)

    assert (status, "somebody listens there already" in said) == (1, True)


def test_rules_are_asked_for(capsys):
    assert main(["watch"]) == 2
    assert "--rules" in capsys.readouterr().err


def test_runs_that_last_as_their_command_need_one(rules, capsys):
    assert main(["watch", "--rules", str(rules), "--run-time", "exec"]) == 2
    assert "needs --exec" in capsys.readouterr().err


@pytest.mark.skipif(
    shutil.which("tmux") is None, reason="a real terminal needs tmux, which is not here"
)
class TestTerminal:
    """In a real terminal, by tmux."""

    @pytest.fixture
    def terminal(self, tmp_path, rules):
        opened = []

        def open_terminal(width, height=24):
            name = f"wakeful-{uuid.uuid4().hex}"
            tmux = ["tmux", "-L", name, "-f", "/dev/null"]
            opened.append(tmux)
            asked = ["logs", "--rules", "rules.json", "--socket", "w.sock", "--lag", "1s"]
            asked += ["--origin", format_instant(AT), "--speed", str(SPEED)]
            command = " ".join([*WATCH, *asked])
            (tmp_path / "logs").mkdir(exist_ok=True)
            # So long a quiet that it is still waited for when the screen is read.
            rules.write_text(rules.read_text().replace('"5m"', '"600h"'))
            size = ["-x", str(width), "-y", str(height)]
            subprocess.run(
                [*tmux, "new-session", "-d", *size, "-c", str(tmp_path), "/bin/sh"], check=True
            )
            subprocess.run([*tmux, "send-keys", command, "Enter"], check=True)
            until((tmp_path / "w.sock").exists)
            return Terminal(tmux)

        yield open_terminal
        for tmux in opened:
            subprocess.run([*tmux, "kill-server"], check=False, capture_output=True)

    @pytest.mark.parametrize("width", [80, 200])
    def test_the_screen_is_right(self, terminal, tmp_path, width):
        screen = terminal(width)
        log = tmp_path / "logs" / "log.jsonl"
        began = time.monotonic()
        steps = [step(log, 60, "turnStarted"), step(log, 70, "toolCalled"), step(log, 80)]
        for one in steps:
            time.sleep(max((one.at - AT) / 1_000 / SPEED - (time.monotonic() - began), 0))
            one.do()
        until(lambda: "fails" in screen.text())
        time.sleep(0.6)
        lines = screen.lines()

        assert max(map(len, lines)) <= width
        assert lines[0].startswith("wakeful watch  2026-10-07 14:")
        assert "1 session, 1 running" in lines[0]
        assert [one for one in lines if one.startswith(("Sessions", "Waiting", "Decisions"))] == [
            "Sessions (1)",
            "Waiting (1)",
            "Decisions (1)",
        ]
        heading = next(one for one in lines if one.startswith("Agent"))
        assert heading.split()[-5:] == ["Turn", "Silence", "Calls", "Failed", "Queue"]
        assert ("Project" in heading) == (width == 200)
        # Headings that stand to the right end where the screen does.
        assert len(heading) == width
        (wake,) = [one for one in lines if " start " in one]
        assert {"fails", "s", "1"} <= set(wake.split())

    def test_it_is_drawn_anew_when_the_terminal_changes_its_size(self, terminal):
        screen = terminal(200)
        until(lambda: "Sessions" in screen.text())
        screen.resize(80, 24)
        until(lambda: max(map(len, screen.lines())) <= 80 and "Sessions" in screen.text())

    def test_a_key_pauses_wakes_and_another_leaves(self, terminal):
        screen = terminal(80)
        until(lambda: "Sessions" in screen.text())
        screen.press("p")
        until(lambda: "paused" in screen.lines()[0])
        screen.press("p")
        until(lambda: "paused" not in screen.lines()[0])
        screen.press("q")
        until(lambda: "watched" in screen.text())

        # The terminal is given back as it was: the command that began it is there again.
        assert "wakeful.cli watch" in screen.text()


class Terminal:
    """A terminal of tmux's."""

    def __init__(self, tmux):
        self._tmux = tmux

    def text(self):
        done = subprocess.run([*self._tmux, "capture-pane", "-p"], capture_output=True, check=True)
        return done.stdout.decode()

    def lines(self):
        return self.text().splitlines()

    def press(self, key):
        subprocess.run([*self._tmux, "send-keys", key], check=True)

    def resize(self, width, height):
        size = ["-x", str(width), "-y", str(height)]
        subprocess.run([*self._tmux, "resize-window", *size], check=True)
