"""A host on one page: a command is the agent, rules wake it, and a kill loses nothing.

    python host.py HOME ask NAME TEXT     # a session: what it is asked
    python host.py HOME run COMMAND…      # the daemon, until it is told to end

``HOME`` holds everything there is:

    automations/       the rules, a Markdown file each; edit them while this runs
    sessions/NAME/     asked.json   what the session was asked, and which run asked it
                       began        its agent was started, which happens once
                       ended.json   how its turn ended
                       told         and the engine has been told
    journal/           what the engine took, and the wakes that nobody has acted upon

The agent finds what it is asked on its first line of standard input, and what is steered into
its turn on later ones. It writes a line of JSON for each call it finished, ``{"tool": "bash",
"input": {…}, "failed": true}``; any other line shows that it is alive. Its exit status is the
turn's ending. When its standard input closes, nobody hears it any more, and it has to end.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import quote

from watchfiles import awatch

from wakeful import (
    Activity,
    Decision,
    DecisionKind,
    Facts,
    Input,
    RunLinked,
    RunSettled,
    SessionEvent,
    Settings,
    Tick,
    Tool,
    TurnStarted,
)
from wakeful.hosting import Runner, SystemClock
from wakeful.hosting.folders import FollowedFolder
from wakeful.journal import Journal, decision_id
from wakeful.logs import input_hash
from wakeful.model.events import EventKind
from wakeful.model.time import Instant
from wakeful.storage import AutomationFolder

Outcome: TypeAlias = Literal["completed", "failed"]
Feed: TypeAlias = Callable[[Input], object]

ENDINGS: dict[Outcome, EventKind] = {"completed": "turnCompleted", "failed": "turnFailed"}
SETTINGS = Settings(unmet="every")  # nobody's sight is limited here: there are no users


def keep(path: Path, data: Any) -> None:
    """Write a file whole, and on the disk, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    with new.open("w", encoding="utf-8") as file:
        json.dump(data, file)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def ask(home: Path, name: str, asked: dict[str, Any]) -> None:
    """Ask for a session; asking again for one of that name changes nothing."""
    path = home / "sessions" / name / "asked.json"
    if not path.exists():
        keep(path, asked)


def facts_of(asked: dict[str, Any]) -> Facts:
    """What rules may know of a session."""
    return Facts(project=asked.get("project"), automated="run" in asked)


class Host:
    """Sessions, an engine with its journal, and what goes between them."""

    def __init__(self, home: Path, command: list[str]) -> None:
        self.home = home
        self.command = command
        self.clock = SystemClock()
        self.agents: dict[str, asyncio.subprocess.Process] = {}
        self.stop = asyncio.Event()

    async def run(self) -> None:
        """Finish what a kill left half done, then run until :attr:`stop` is set."""
        sessions = self.home / "sessions"
        sessions.mkdir(parents=True, exist_ok=True)
        folder = FollowedFolder(AutomationFolder(self.home / "automations"), refused=print)
        place, now = self.home / "journal", self.clock.now()
        with Journal.open(place, at=now, settings=SETTINGS) as self.journal:
            self.recover()
        with Journal.open(
            place, at=now, settings=SETTINGS, automations=folder.automations
        ) as self.journal:
            runner = Runner(self.journal, self.wake, clock=self.clock, live=self.live)
            async with runner as self.runner, asyncio.TaskGroup() as group:
                group.create_task(folder.follow(runner.feed, self.clock, self.stop))
                tasks: dict[str, asyncio.Task[None]] = {}
                async for _ in awatch(
                    sessions, stop_event=self.stop, rust_timeout=500, yield_on_timeout=True
                ):
                    for name in self.having("asked.json", without="began"):
                        if name not in tasks:
                            tasks[name] = group.create_task(self.session(name))
                for task in tasks.values():
                    task.cancel()

    def having(self, file: str, *, without: str) -> Iterator[str]:
        """The sessions that have come so far, and no further."""
        for path in sorted((self.home / "sessions").glob(f"*/{file}")):
            if not path.with_name(without).exists():
                yield path.parent.name

    def path(self, name: str, file: str) -> Path:
        """A file of a session."""
        return self.home / "sessions" / name / file

    def read(self, name: str, file: str) -> dict[str, Any]:
        """What a file of a session says."""
        said: dict[str, Any] = json.loads(self.path(name, file).read_bytes())
        return said

    # -- a wake becomes a session -----------------------------------------------------------

    async def wake(self, decision: Decision) -> None:
        """Act upon a wake. One that was acted upon before a kill comes again: same name."""
        if decision.kind is DecisionKind.STEER:
            agent = self.agents[decision.into or ""]  # none there: not delivered, so it waits
            assert agent.stdin is not None
            agent.stdin.write(f"{json.dumps(decision.message)}\n".encode())
            await agent.stdin.drain()
            return
        name = quote(decision_id(decision), safe="@")
        asked = {"text": decision.message, "run": decision.run, "automation": decision.automation}
        ask(self.home, name, asked)

    def live(self) -> list[str]:
        """The runs that go on: their agent lives, or was not started yet."""
        names = {*self.agents, *self.having("asked.json", without="began")}
        runs = [self.read(name, "asked.json").get("run") for name in names]
        return [run for run in (*runs, *(one.run for one in self.journal.outstanding)) if run]

    # -- a session becomes inputs -------------------------------------------------------------

    async def session(self, name: str) -> None:
        """Run a session's agent, and tell the engine what it does."""
        asked, feed, now = self.read(name, "asked.json"), self.runner.feed, self.clock.now
        facts = facts_of(asked)
        if "run" in asked:
            linked = RunLinked(
                automation=asked["automation"], run=asked["run"], session=name, at=now()
            )
            await feed(linked)
        await feed(TurnStarted(name, now(), facts, title=name))
        self.path(name, "began").touch()
        pipe = asyncio.subprocess.PIPE
        agent = await asyncio.create_subprocess_exec(
            *self.command, stdin=pipe, stdout=pipe, limit=1 << 24
        )
        assert agent.stdin is not None
        assert agent.stdout is not None
        self.agents[name] = agent
        try:
            agent.stdin.write(f"{json.dumps(asked['text'])}\n".encode())
            calls = 0
            async for line in agent.stdout:
                tool = failed = None
                with suppress(ValueError, LookupError, TypeError):
                    said = json.loads(line)
                    tool = Tool(str(said["tool"]), input_hash(said.get("input")))
                    failed = said.get("failed")
                if tool is None:
                    await feed(Activity(name, now()))
                    continue
                calls += 1
                await feed(
                    SessionEvent(
                        "toolFailed" if failed else "toolCalled",
                        name,
                        now(),
                        facts,
                        running=True,
                        queued=0,
                        turn_tool_calls=calls,
                        tool=tool,
                    )
                )
            status = await agent.wait()
        finally:
            del self.agents[name]
            with suppress(ProcessLookupError):
                agent.kill()
        await self.runner.feed(Tick(now()))  # what a sleep left undone comes before the ending
        self.end(name, "failed" if status else "completed", self.runner.feed_nowait, at=now())

    def end(self, name: str, outcome: Outcome, feed: Feed, *, at: Instant) -> None:
        """A turn is over: that is written down, with how far the engine is, and then told."""
        inputs = self.journal.statistics().inputs
        keep(self.path(name, "ended.json"), {"outcome": outcome, "at": at, "inputs": inputs})
        self.tell_ending(name, feed)

    def tell_ending(self, name: str, feed: Feed) -> None:
        """Tell the engine of a turn's ending, but for what it took of it before a kill.

        Nothing is awaited in between: these inputs follow one another in the journal.
        """
        ended, asked = self.read(name, "ended.json"), self.read(name, "asked.json")
        at, outcome, facts = ended["at"], ended["outcome"], facts_of(asked)
        inputs: list[Input] = [
            SessionEvent(ENDINGS[outcome], name, at, facts, running=False, queued=0),
            SessionEvent("idle", name, at, facts, running=False, queued=0),
        ]
        if "run" in asked:
            inputs.append(
                RunSettled(automation=asked["automation"], run=asked["run"], outcome=outcome, at=at)
            )
        for item in inputs[self.journal.statistics().inputs - ended["inputs"] :]:
            feed(item)
        self.path(name, "told").touch()

    def recover(self) -> None:
        """Finish what a kill left half done, before anything else is fed."""
        for name in self.having("ended.json", without="told"):
            self.tell_ending(name, self.journal.feed)
        for name in self.having("began", without="ended.json"):
            # Its agent went with the host in the middle of its turn, at the latest then:
            self.end(name, "failed", self.journal.feed, at=self.journal.now or 0)


async def main(home: Path, command: list[str]) -> None:
    """Run a host until it is told to end."""
    host = Host(home, command)
    loop = asyncio.get_running_loop()
    for sign in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(sign, host.stop.set)
    await host.run()


if __name__ == "__main__":
    match sys.argv[1:]:
        case [home, "ask", name, text]:
            ask(Path(home), name, {"text": text})
        case [home, "run", *command] if command:
            asyncio.run(main(Path(home), command))
        case _:
            sys.exit(__doc__)
