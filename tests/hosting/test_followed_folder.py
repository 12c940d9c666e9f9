"""Automations in a folder, edited while a runner runs."""

import asyncio
import time

from hosting.hosting_world import failed
from wakeful import Engine, Settings
from wakeful.hosting import Runner
from wakeful.hosting.folders import FollowedFolder
from wakeful.storage import AutomationFolder

TEXT = """---
title: {title}
triggers:
  - id: t
    kind: event
    type: session
    events: [{{id: toolFailed}}]
---
Look at it.
"""


def test_what_a_person_edits_is_watched_a_moment_later(tmp_path):
    folder = tmp_path / "automations"
    folder.mkdir()
    (folder / "first.md").write_text(TEXT.format(title="First"))
    refused = []

    async def scene():
        seen, woke = [], asyncio.Event()

        async def handler(decision):
            seen.append(decision.automation)
            woke.set()

        followed = FollowedFolder(AutomationFolder(folder), refused=refused.append)
        engine = Engine(
            followed.automations,
            occurrences=followed.occurrences,
            settings=Settings(run_time="none"),
        )
        stop = asyncio.Event()
        async with Runner(engine, handler) as runner:
            following = asyncio.create_task(followed.follow(runner.feed, runner.clock, stop))
            await asyncio.sleep(0.3)
            (folder / "first.md").unlink()
            (folder / "second.md").write_text(TEXT.format(title="Second"))
            (folder / "broken.md").write_text("---\ntitle: [\n---\n")
            deadline = time.monotonic() + 10
            while not (
                refused
                and engine.statistics().rules == 1
                and engine.is_on("ahp-automation:/second")
            ):
                assert time.monotonic() < deadline, "did not come"
                await asyncio.sleep(0.05)
            await asyncio.sleep(0.4)  # the missing file gets a moment to come back
            await runner.feed(failed(runner.clock.now()))
            await runner.drained()
            stop.set()
            await following
        return seen

    assert asyncio.run(scene()) == ["ahp-automation:/second"]
    assert [one.name for one in refused] == ["broken.md"]
