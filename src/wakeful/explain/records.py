"""What is explained as plain data: one record a line of ``wakeful explain --json``."""

from typing import Any

import attrs

from wakeful.core.statistics import Pending
from wakeful.explain.clocks import Tick
from wakeful.explain.firings import Firing
from wakeful.explain.lacks import Lack, Miss
from wakeful.explain.standing import Standing
from wakeful.explain.steps import RuleName, Taken, plain_value
from wakeful.explain.wording import name_of
from wakeful.model.time import format_instant
from wakeful.replay import decision_record


def firing_record(firing: Firing) -> dict[str, Any]:
    """Why a rule fired."""
    match, step = firing.match, firing.step
    record = {
        "explains": "fired",
        "at": format_instant(match.at),
        **_rule(firing.rule),
        "session": match.session,
        "event": match.event,
        "count": match.count,
        "counted": [taken_record(each) for each in step.events] or None,
        "by": None if step.by is None else taken_record(step.by),
        "deadline": None if step.wait is None else format_instant(step.wait.due),
        "quiet": step.quiet,
        "since": None if step.since is None else format_instant(step.since),
    }
    if firing.decision is not None:
        record["decision"] = decision_record(firing.decision)
        record["before"] = _standing(firing.standing) or None
    return _present(record)


def miss_record(miss: Miss) -> dict[str, Any]:
    """Why a rule did not fire."""
    return _present(
        {
            "explains": "missed",
            "at": format_instant(miss.at),
            **_rule(miss.rule),
            "session": miss.session,
            "stage": miss.stage,
            "since": format_instant(miss.since),
            "counted": miss.counted,
            "of": miss.of,
            "events": [taken_record(each) for each in miss.events],
            "failed": [_lack(each) for each in miss.lacks],
            "distance": round(miss.distance, 4),
            "remedy": None if miss.remedy is None else miss.remedy.told,
        }
    )


def pending_record(pending: Pending) -> dict[str, Any]:
    """What waits now."""
    record = {"explains": "waiting", **attrs.asdict(pending)}
    if pending.deadline is not None:
        record["deadline"] = format_instant(pending.deadline)
    return _present(record)


def tick_record(tick: Tick) -> dict[str, Any]:
    """What became of an occurrence."""
    return _present(
        {
            "explains": "occurrence",
            "at": format_instant(tick.at),
            "automation": tick.automation,
            "trigger": tick.trigger,
            "fate": tick.fate.value,
            "local": None if tick.local is None else format_instant(tick.local).removesuffix("Z"),
            "decision": None if tick.decision is None else decision_record(tick.decision),
        }
    )


def taken_record(taken: Taken) -> dict[str, Any]:
    """An input, by its number and what it is called."""
    return {"number": taken.number, "at": format_instant(taken.at), "input": name_of(taken)}


def _lack(lack: Lack) -> dict[str, Any]:
    return {
        "path": lack.path,
        "wanted": _plain(lack.wanted),
        "had": _plain(lack.had),
        "by": [taken_record(each) for each in lack.by],
    }


def _plain(value: Any) -> Any:
    return attrs.asdict(value) if attrs.has(type(value)) else plain_value(value)


def _rule(rule: RuleName) -> dict[str, Any]:
    return {"automation": rule.automation, "trigger": rule.trigger, "preset": rule.preset}


def _standing(standing: Standing) -> dict[str, Any]:
    return _present(
        {
            "run": standing.run,
            "runAt": None if standing.run_at is None else format_instant(standing.run_at),
            "waitingSince": None
            if standing.waiting_since is None
            else format_instant(standing.waiting_since),
            "charged": standing.charged,
            "chargedSince": None
            if standing.charged_since is None
            else format_instant(standing.charged_since),
        }
    )


def _present(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if value is not None}
