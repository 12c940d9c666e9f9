"""A slice of a log as a file of rule tests (``*.test.yaml``)."""

import json
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from wakeful.core.settings import RunTime
from wakeful.explain.shrinking import Slice
from wakeful.logs import write_native
from wakeful.model.automations import SCHEME
from wakeful.model.events import Activity, Input, SessionEnded, SessionEvent, TurnStarted
from wakeful.model.outputs import Match
from wakeful.model.time import Instant, format_duration, format_instant
from wakeful.rule_tests.moments import format_offset

_WORDS = {"turnToolCalls", "running", "queued", "owner", "provider", "project", "automated"}
"""The members of a session's line that are written as ``key=value``."""


def write_test(
    found: Slice, matches: Sequence[Match], *, name: str, rules: Sequence[str], run_time: RunTime
) -> str:
    """The text of a file with one test: these inputs come to these matches, and no others.

    Args:
        found: The slice.
        matches: All that the rules make of it, in order.
        name: What the test is called.
        rules: Where the rules are, as seen from the file.
        run_time: How long runs last.
    """
    start = min((each.at for each in found.inputs), default=found.until)
    lines = [
        f"rules: [{', '.join(map(json.dumps, rules))}]",
        f"start: {json.dumps(format_instant(start))}",
    ]
    if run_time != "none":
        lines.append(f"runs: {run_time if run_time == 'log' else format_duration(run_time)}")
    lines += ["tests:", f"  - name: {json.dumps(name)}", "    inputs:"]
    lines += [f"      - {line}" for line in _inputs(found.inputs, start)]
    if not found.inputs:
        lines[-1] = "    inputs: []"
    lines += [f"    until: {json.dumps(format_offset(found.until - start))}"]
    lines += ["    expect:", "      matches:"]
    lines += [f"        - {json.dumps(_match(each, start))}" for each in matches]
    return "\n".join(lines) + "\n"


def _inputs(inputs: Sequence[Input], start: Instant) -> Iterator[str]:
    for given in inputs:
        record = json.loads(write_native(given))
        offset = format_offset(given.at - start)
        line = _line(given, dict(record), offset)
        if line is None:
            record["at"] = offset
            yield json.dumps(record, ensure_ascii=False)
        else:
            yield json.dumps(line, ensure_ascii=False)


def _line(given: Input, record: dict[str, Any], offset: str) -> str | None:
    """An input in the compact notation; ``None`` where it does not fit in a line."""
    if not isinstance(given, SessionEvent | TurnStarted | Activity | SessionEnded):
        return None
    words = [offset, record.pop("kind"), record.pop("session")]
    del record["at"]
    tool = record.pop("tool", None)
    if tool is not None:
        words.append(f"{tool['name']}:{tool['inputHash']}")
    if (child := record.pop("child", None)) is not None:
        words.append(child)
    if any("=" in word for word in words):
        return None
    folders = record.pop("folders", None)
    if folders is not None:
        if any("," in folder or not folder for folder in folders):
            return None
        words.append(f"folders={','.join(folders)}")
    if not record.keys() <= _WORDS:
        return None
    words += [f"{key}={_value(value)}" for key, value in record.items()]
    return shlex.join(words)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _match(match: Match, start: Instant) -> str:
    words = [format_offset(match.at - start), match.automation.removeprefix(f"{SCHEME}/")]
    if match.session is not None:
        words.append(match.session)
    words.append(f"trigger={match.trigger}")
    if match.preset is not None:
        words.append(f"preset={match.preset}")
    words += [f"event={match.event}", f"count={match.count}"]
    return shlex.join(words)
