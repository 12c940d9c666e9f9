"""Rules, inputs and a recording handler, for the tests of runners."""

import asyncio

from wakeful import Engine, SessionEvent, Settings, TurnStarted, read_automation

AT = 1_791_382_800_000
MINUTE = 60_000
HOUR = 60 * MINUTE


def automation(id_="a", *, events=("toolFailed",), overlap="queue", **config):
    return read_automation(
        {
            "id": id_,
            "title": id_,
            "overlap": overlap,
            "message": {"text": "{{count}}"},
            "triggers": [
                {
                    "id": "t",
                    "kind": "event",
                    "type": "session",
                    "events": [{"id": each} for each in events],
                    **({"config": config} if config else {}),
                }
            ],
        }
    )


def schedule(id_, expression, **trigger):
    return read_automation(
        {
            "id": id_,
            "title": id_,
            "message": {"text": "go"},
            "triggers": [
                {
                    "id": "t",
                    "kind": "schedule",
                    "schedule": {"expression": expression, "timeZone": "UTC"},
                    **trigger,
                }
            ],
        }
    )


def engine_of(*automations, at=AT, run_time="none", **settings):
    return Engine(
        automations, at=at, settings=Settings(run_time=run_time, unmet="every", **settings)
    )


def failed(at, session="s"):
    return SessionEvent("toolFailed", session, at, running=True)


def turn(at, session="s"):
    return TurnStarted(session, at)


class Wakes:
    """A handler that remembers, and waits for a gate where there is one."""

    def __init__(self, gate: asyncio.Event | None = None):
        self.seen = []
        self.gate = gate

    async def __call__(self, decision):
        self.seen.append(decision)
        if self.gate is not None:
            await self.gate.wait()

    @property
    def told(self):
        return [(str(one.kind), one.at, one.late) for one in self.seen]
