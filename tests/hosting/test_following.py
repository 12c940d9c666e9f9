"""Following logs live comes to what a replay of the same files comes to."""

import asyncio

import pytest
from hosting.following_world import LAG, Following, replayed, shared_logs
from hosting.log_player import writings

needs_logs = pytest.mark.skipif(
    not shared_logs(), reason="the recorded logs of agents are not here"
)


def last_instant(decisions, end):
    """The decisions up to the log's last record; a replay ends there, time does not."""
    return [one for one in decisions if one["at"] <= end]


@needs_logs
@pytest.mark.parametrize("source", shared_logs(), ids=lambda path: path.stem)
def test_a_log_that_is_followed_wakes_as_its_replay(source, tmp_path):
    async def scene():
        target = tmp_path / source.name
        steps = writings(source, target)
        async with Following(tmp_path, min(steps).at - 1) as live:
            await live.play((source, target))
            await live.clock.advance(LAG)
            inputs = live.follower.report.inputs
        return live, inputs, max(steps).at

    live, inputs, _ = asyncio.run(scene())
    wanted = replayed(tmp_path)

    assert live.decisions[: len(wanted)] == wanted
    assert live.troubles == []
    assert live.follower.report.unreadable == 0
    assert inputs.total() > 0


@needs_logs
def test_all_logs_at_once_wake_as_their_replay(tmp_path):
    # Their days are years apart, so each is played at the time of the first.
    pass
