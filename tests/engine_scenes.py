"""Small scenes for an engine: automations as a person writes them, inputs at seconds, outputs
as short words.

Seconds count from 0, in the session ``s`` where nothing else is said. Definitions go through
the public reader, so that a test says what the seed's JSON says.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from wakeful import (
    Activity,
    Automation,
    Decision,
    DefinitionSaved,
    Engine,
    Facts,
    Input,
    Match,
    Output,
    RunSettled,
    RunStarted,
    SessionEnded,
    SessionEvent,
    Settings,
    Tool,
    TurnStarted,
    read_automation,
)

MATCHES_ONLY = Settings(run_time="none", unmet="every")
"""Runs are over at once: each match is a start, until the cap."""


def ms(seconds: float) -> int:
    return round(seconds * 1_000)


# -- definitions ------------------------------------------------------------------------


def on(*events: str, id: str = "t1", **config: Any) -> dict[str, Any]:  # noqa: A002
    """A ``session`` trigger: its events, and its config by key."""
    return {
        "id": id,
        "kind": "event",
        "type": "session",
        "title": id,
        "events": [{"id": event} for event in events],
        "config": config,
    }


def watch(*presets: str, id: str = "t1", **config: Any) -> dict[str, Any]:  # noqa: A002
    """A ``watch`` trigger."""
    return {**on(*presets, id=id, **config), "type": "watch"}


def plugin(type: str, *events: str, id: str = "t1", **config: Any) -> dict[str, Any]:  # noqa: A002
    """A trigger of a plugin's type."""
    return {**on(*events, id=id, **config), "type": type}


def schedule(
    expression: str,
    zone: str = "UTC",
    *,
    id: str = "t1",  # noqa: A002
    **more: Any,
) -> dict[str, Any]:
    """A ``schedule`` trigger; ``misfirePolicy`` and ``title`` by key."""
    return {
        "id": id,
        "kind": "schedule",
        "schedule": {"expression": expression, "timeZone": zone},
        **more,
    }


def automation(*triggers: dict[str, Any], id: str = "a", **more: Any) -> Automation:  # noqa: A002
    """An automation ``ahp-automation:/<id>`` with these triggers."""
    return read_automation(
        {
            "id": id,
            "title": id,
            "message": {"text": "{{event}} {{count}}"},
            "triggers": list(triggers),
            **more,
        }
    )


def event_within(event: str, within: str) -> dict[str, Any]:
    return {"kind": "event", "event": event, "within": within}


def absent(event: str, for_: str) -> dict[str, Any]:
    return {"kind": "absent", "event": event, "for": for_}


def idle(for_: str) -> dict[str, Any]:
    return {"kind": "idle", "for": for_}


# -- inputs -----------------------------------------------------------------------------


def event(kind: Any, at: float, session: str = "s", *, facts: Any = None, **state: Any):
    """A session event; ``facts`` as a dictionary."""
    return SessionEvent(kind, session, ms(at), Facts(**(facts or {})), **state)


def fail(at: float, session: str = "s", *, call: str | None = None, **state: Any):
    """A call that failed; ``call`` says which one, where that matters."""
    return event("toolFailed", at, session, tool=call and Tool("Bash", call), **state)


def ok(at: float, session: str = "s", *, call: str | None = None, **state: Any):
    """A call that finished well."""
    return event("toolCalled", at, session, tool=call and Tool("Bash", call), **state)


def turn(at: float, session: str = "s", **facts: Any) -> TurnStarted:
    return TurnStarted(session, ms(at), Facts(**facts))


def words(at: float, session: str = "s") -> Activity:
    """Words streaming: activity."""
    return Activity(session, ms(at))


def ended(at: float, session: str = "s") -> SessionEnded:
    return SessionEnded(session, ms(at))


def saved(at: float, automation: Automation) -> DefinitionSaved:
    return DefinitionSaved(automation=automation, at=ms(at))


def started(at: float, run: str, session: str | None = None, *, of: str = "a") -> RunStarted:
    return RunStarted(automation=f"ahp-automation:/{of}", run=run, at=ms(at), session=session)


def settled(at: float, run: str, outcome: Any = "completed", *, of: str = "a") -> RunSettled:
    return RunSettled(automation=f"ahp-automation:/{of}", run=run, outcome=outcome, at=ms(at))


# -- what came of it --------------------------------------------------------------------


def run(
    automations: Automation | Sequence[Automation],
    *inputs: Input,
    until: float | None = None,
    settings: Settings = MATCHES_ONLY,
) -> list[Output]:
    """All outputs of the inputs, time going on to ``until``."""
    if isinstance(automations, Automation):
        automations = [automations]
    engine = Engine(automations, settings=settings)
    outputs = engine.feed_many(inputs)
    return outputs if until is None else outputs + engine.advance(ms(until))


def matched_at(outputs: Iterable[Output]) -> list[float]:
    """The seconds of the matches."""
    return [output.at / 1_000 for output in outputs if isinstance(output, Match)]


def matches(outputs: Iterable[Output]) -> list[str]:
    """The matches as ``12 a/t1 s toolFailed x3``."""
    return [
        f"{match.at / 1_000:g} {_short(match.automation)}/{match.preset or match.trigger}"
        f" {match.session} {match.event} x{match.count}"
        for match in outputs
        if isinstance(match, Match)
    ]


def decisions(outputs: Iterable[Output]) -> list[str]:
    """The decisions as ``12 a start 1`` or ``12 a drop skipped 1``."""
    return [
        " ".join(
            str(part)
            for part in (
                f"{each.at / 1_000:g}",
                _short(each.automation),
                each.kind,
                each.reason,
                each.count,
            )
            if part is not None
        )
        for each in outputs
        if isinstance(each, Decision)
    ]


def _short(resource: str) -> str:
    return resource.removeprefix("ahp-automation:/")


def waits(engine: Engine) -> list[str]:
    """What is waiting, as ``600 a/t1 s idle``; a held wake has no deadline."""
    return [
        " ".join(
            str(part)
            for part in (
                None if each.deadline is None else f"{each.deadline / 1_000:g}",
                f"{_short(each.automation)}/{each.preset or each.trigger}",
                each.session,
                each.what or each.kind,
            )
            if part is not None
        )
        for each in engine.pending()
    ]
