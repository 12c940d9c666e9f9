"""Plays recorded logs: writes each line when its instant comes, as the agent did.

A log that is one object is written anew each time, with what it held by then.
"""

import json
from pathlib import Path

import attrs

from wakeful import parse_instant
from wakeful.cron import load_zone

UTC = load_zone("UTC").tzinfo()


@attrs.frozen(order=True)
class Writing:
    """What is written, and when: bytes to append, or the whole of a file."""

    at: int
    number: int
    path: Path = attrs.field(order=False)
    data: bytes = attrs.field(order=False)
    whole: bool = attrs.field(default=False, order=False)

    def do(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.whole:
            new = self.path.with_suffix(".new")
            new.write_bytes(self.data)
            new.rename(self.path)
        else:
            with self.path.open("ab") as file:
                file.write(self.data)


def writings(source: Path, target: Path) -> list[Writing]:
    """Everything that writing the log takes, in order."""
    if source.suffix == ".json":
        return _of_object(json.loads(source.read_text(encoding="utf-8")), target)
    found, lines = [], source.read_bytes().splitlines(keepends=True)
    latest = min(filter(None, map(_instant, lines)))
    for number, line in enumerate(lines):
        latest = max(latest, _instant(line) or latest)
        found.append(Writing(latest, number, target, line))
    return found


def _instant(line: bytes) -> int | None:
    record = json.loads(line)
    at = record.get("timestamp", record.get("at"))
    return None if at is None else parse_instant(at, zone=UTC)


def _of_object(session: dict, target: Path) -> list[Writing]:
    """A session that is one object: it is written when a message begins, or one of its calls ends."""
    messages = session["messages"]
    instants = {parse_instant(one["timestamp"]) for one in messages}
    for one in messages:
        instants |= {parse_instant(call["timestamp"]) for call in one.get("toolCalls", ())}
    found = []
    for number, at in enumerate(sorted(instants)):
        held = []
        for one in messages:
            if parse_instant(one["timestamp"]) > at:
                break
            calls = [
                call if parse_instant(call["timestamp"]) <= at else {**call, "status": "executing"}
                for call in one.get("toolCalls", ())
            ]
            held.append({**one, "toolCalls": calls} if calls else one)
        data = json.dumps({**session, "messages": held}).encode()
        found.append(Writing(at, number, target, data, whole=True))
    return found
