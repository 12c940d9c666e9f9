"""Matches and decisions as lines of JSON, the form other programs read.

Members that say nothing are left out; the order of the members is fixed, so that the same
outputs are the same bytes. Text outside ASCII is escaped: whatever a log held, a lone
surrogate too, is a line that can be written and read back.
"""

import json
from typing import Any

from wakeful.model.outputs import Decision, Match
from wakeful.model.time import format_instant


def match_record(match: Match) -> dict[str, Any]:
    """A match as plain data: ``at automation trigger session event count``."""
    record: dict[str, Any] = {
        "at": format_instant(match.at),
        "automation": match.automation,
        "trigger": match.trigger,
    }
    if match.session is not None:
        record["session"] = match.session
    record["event"] = match.event
    record["count"] = match.count
    return record


def decision_record(decision: Decision) -> dict[str, Any]:
    """A decision as plain data, with the members of the replay's output."""
    record: dict[str, Any] = {
        "at": format_instant(decision.at),
        "automation": decision.automation,
        "trigger": decision.trigger,
        "decision": decision.kind.value,
        "reason": None if decision.reason is None else decision.reason.value,
        "count": decision.count,
        "session": decision.session,
        "event": decision.event,
        "run": decision.run,
        "message": decision.message,
        "requestId": decision.request_id,
        "scheduledFor": None
        if decision.scheduled_for is None
        else format_instant(decision.scheduled_for),
        "catchUp": True if decision.catch_up else None,
        "late": True if decision.late else None,
    }
    return {name: value for name, value in record.items() if value is not None}


def json_line(record: dict[str, Any]) -> str:
    """One line of JSON without blanks, newline included."""
    return json.dumps(record, separators=(",", ":")) + "\n"
