"""A runner that follows a folder on a virtual clock, and what it decides."""

from pathlib import Path

import attrs

from hosting.log_player import Writing, writings
from wakeful import Decision, Engine, load_rules, open_logs
from wakeful.cron import load_zone
from wakeful.hosting import DelayedClock, Runner
from wakeful.hosting.following import LogFollower
from wakeful.replay import DEFAULTS, Replay, decision_record
from wakeful.testing import VirtualClock

LAG = 2_000
LOGS = Path(__file__).parents[3] / "shared" / "logs"
UTC = load_zone("UTC").tzinfo()


def shared_logs():
    return sorted(path for path in LOGS.glob("*.json*")) if LOGS.is_dir() else []


def rules():
    return load_rules(["@"]).automations


def replayed(folder, automations=None):
    """The decisions of a replay of what is in a folder now."""
    replay = Replay(rules() if automations is None else automations)
    outputs = list(replay.outputs(open_logs([folder], zone=UTC)))
    return [decision_record(one) for one in outputs if isinstance(one, Decision)]


class Following:
    """Follows a folder from an instant on."""

    def __init__(self, folder, at, automations=None, *, lag=LAG, state=None, snapshot=None):
        self.clock = VirtualClock(at)
        self.decisions, self.inputs, self.troubles = [], [], []
        behind = DelayedClock(self.clock, lag)
        self.follower = LogFollower([folder], since=behind.now(), zone=UTC, state=state)
        automations = rules() if automations is None else automations
        settings = attrs.evolve(DEFAULTS)
        engine = (
            Engine(automations, at=behind.now(), settings=settings)
            if snapshot is None
            else Engine.restore(snapshot, automations, settings=settings).engine
        )
        self.engine = engine
        self.runner = Runner(
            engine,
            self._handle,
            clock=behind,
            source=self.follower,
            listener=self._listen,
            trouble=self.troubles.append,
        )
        self.follower.scan()

    async def _handle(self, decision):
        return None

    def _listen(self, output):
        if isinstance(output, Decision):
            self.decisions.append(decision_record(output))

    async def __aenter__(self):
        await self.runner.__aenter__()
        return self

    async def __aexit__(self, *problem):
        await self.runner.__aexit__(*problem)
        self.follower.close()

    async def until(self, at):
        await self.clock.advance(max(at - self.clock.now(), 0))

    async def write(self, writing: Writing):
        """Let time come to a writing, write, and look."""
        await self.until(writing.at)
        writing.do()
        self.follower.look_at([writing.path])
        self.runner.nudge()

    async def play(self, *pairs):
        """Play logs into the folder, each as a file of its own, all at their own pace."""
        for one in sorted(one for source, target in pairs for one in writings(source, target)):
            await self.write(one)

    async def look(self):
        self.follower.scan()
        self.runner.nudge()
        await self.clock.advance(0)
