"""What a test expects: matches and decisions, as lines or as maps, and what holds of them.

An expectation names what it is about and leaves out what it does not care for: every member
that it has must be the output's. The list that it stands in is total and in order.
"""

import shlex
from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs

from wakeful.errors import InvalidError
from wakeful.logs.native_lines import resource
from wakeful.model.automations import SCHEME
from wakeful.model.outputs import Decision, DecisionKind, Match, Reason
from wakeful.model.time import Instant, format_instant
from wakeful.reading.converter import ReadingConverter, key_of, register
from wakeful.reading.kinds import FLAG, NAME, TEXT, Kind, one_of, text_kind, whole
from wakeful.rule_tests.moments import MOMENT, Moment, format_offset
from wakeful.rule_tests.notation import flag, members_of, number, words_of


@attrs.frozen(kw_only=True)
class ExpectedMatch:
    """A match that has to come. ``None`` is a member that does not matter."""

    at: Moment
    automation: str | None = None
    trigger: str | None = None
    preset: str | None = None
    session: str | None = None
    event: str | None = None
    count: int | None = None
    late: bool | None = None


@attrs.frozen(kw_only=True)
class ExpectedDecision:
    """A decision that has to come. ``None`` is a member that does not matter."""

    at: Moment
    decision: str
    automation: str | None = None
    trigger: str | None = None
    reason: str | None = None
    count: int | None = None
    session: str | None = None
    event: str | None = None
    run: str | None = None
    message: str | None = None
    request_id: str | None = None
    scheduled_for: Moment | None = None
    catch_up: bool | None = None
    late: bool | None = None


Expected = ExpectedMatch | ExpectedDecision

_MOMENTS: Final = ("at", "scheduled_for")
_DECISION: Final = one_of(tuple(kind.value for kind in DecisionKind), "a decision")
_REASON: Final = one_of(tuple(reason.value for reason in Reason), "a reason")

_TEXTS: Final[Mapping[str, Callable[[str], Any]]] = {
    "trigger": str,
    "preset": str,
    "reason": _REASON,
    "count": number,
    "session": str,
    "event": str,
    "run": str,
    "message": str,
    "requestId": str,
    "scheduledFor": MOMENT,
    "catchUp": flag,
    "late": flag,
}
"""How the value of each ``key=value`` of a line is read."""


def register_expectations(converter: ReadingConverter) -> None:
    """Teach a converter both kinds of expectation."""
    kinds: dict[str, Kind[Any]] = {
        "at": MOMENT,
        "automation": NAME,
        "count": whole(0),
        "late": FLAG,
    }
    register(
        converter,
        ExpectedMatch,
        kinds,
        text=text_kind("a match such as +4m failing-tools s1 count=3", _match_of),
    )
    register(
        converter,
        ExpectedDecision,
        kinds
        | {
            "decision": _DECISION,
            "reason": _REASON,
            "message": TEXT,
            "scheduled_for": MOMENT,
            "catch_up": FLAG,
        },
        text=text_kind("a decision such as +4m start failing-tools s1 count=3", _decision_of),
    )


def holds(expected: Expected, output: Match | Decision, start: Instant) -> bool:
    """Whether every member that is expected is the output's."""
    given = members_of_output(output)
    for field in attrs.fields(type(expected)):
        wanted = getattr(expected, field.name)
        if wanted is None:
            continue
        if field.name in _MOMENTS:
            wanted = wanted.resolve(start)
        elif field.name == "automation":
            wanted = resource(wanted)
        if given.get(field.name) != wanted:
            return False
    return True


def members_of_output(output: Match | Decision) -> dict[str, Any]:
    """The members of an output that an expectation may name."""
    if isinstance(output, Match):
        return {field.name: getattr(output, field.name) for field in attrs.fields(ExpectedMatch)}
    found = {
        field.name: getattr(output, field.name)
        for field in attrs.fields(ExpectedDecision)
        if field.name != "decision"
    }
    reason = None if output.reason is None else output.reason.value
    return {**found, "decision": output.kind.value, "reason": reason}


def line_of(members: Mapping[str, Any], start: Instant) -> str:
    """Members of an output, or of an expectation, as a line of the notation."""
    words = [_moment(members["at"], start)]
    words += [
        shlex.quote(members[name].removeprefix(f"{SCHEME}/"))
        for name in ("decision", "automation", "session")
        if members.get(name) is not None
    ]
    for name, value in members.items():
        if value is None or value is False or name in ("at", "decision", "automation", "session"):
            continue
        if name in _MOMENTS:
            text = _moment(value, start)
        else:
            text = "true" if value is True else _quoted(str(value))
        words.append(f"{key_of(name)}={text}")
    return " ".join(words)


def _quoted(text: str) -> str:
    """Quoted as a shell does, newlines told apart from the line's own."""
    return shlex.quote(text).replace("\n", "⏎")


def _moment(value: Moment | Instant, start: Instant) -> str:
    instant = value.resolve(start) if isinstance(value, Moment) else value
    # Where no offset says it well (years away), the instant does.
    far = abs(instant - start) > 1_000 * 3_600_000
    return format_instant(instant) if far else format_offset(instant - start)


def _match_of(text: str) -> ExpectedMatch:
    words = words_of(text)
    alone, members = members_of(words, _known(ExpectedMatch))
    if not 2 <= len(alone) <= 3:
        raise InvalidError.single("", text, "+OFFSET AUTOMATION [SESSION] [KEY=VALUE…]")
    members = _with_session(members, alone[2:])
    return ExpectedMatch(at=MOMENT(alone[0]), automation=alone[1], **members)


def _decision_of(text: str) -> ExpectedDecision:
    words = words_of(text)
    alone, members = members_of(words, _known(ExpectedDecision))
    if not 3 <= len(alone) <= 4:
        raise InvalidError.single("", text, "+OFFSET DECISION AUTOMATION [SESSION] [KEY=VALUE…]")
    members = _with_session(members, alone[3:])
    return ExpectedDecision(
        at=MOMENT(alone[0]), decision=_DECISION(alone[1]), automation=alone[2], **members
    )


def _known(cls: type[Any]) -> dict[str, Callable[[str], Any]]:
    keys = {key_of(field.name) for field in attrs.fields(cls)}
    return {key: read for key, read in _TEXTS.items() if key in keys}


def _with_session(members: dict[str, Any], session: list[str]) -> dict[str, Any]:
    names = {key_of(name): name for name in ("request_id", "scheduled_for", "catch_up")}
    found = {names.get(key, key): value for key, value in members.items()}
    if session:
        if "session" in found:
            raise InvalidError.single("", session[0], "the session once")
        found["session"] = session[0]
    return found
