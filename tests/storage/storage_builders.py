"""Automations to keep, and the seed's examples of files, which several tests read."""

import attrs
from hypothesis import strategies as st

from reading.definition_strategies import definitions
from wakeful.reading import read_definition
from wakeful.reading.definitions import KeptAutomation
from wakeful.storage import RunProgress, StoredAutomation
from wakeful.storage.automation_text import without_host_notes

NIGHTLY = """\
---
title: Nightly review
enabled: true
session:
  provider: claude
triggers:
  - id: t1
    kind: schedule
    title: Every morning at nine
    schedule:
      expression: 0 9 * * *
      timeZone: Europe/Berlin
---
Review what changed in the repository today and open a pull request for anything that needs one.
"""
"""The seed's example of a file that an automation is kept in."""

EXPORTED = """\
---
title: Nightly review
enabled: true
session:
  provider: claude
  workingDirectories:
    - file:///home/softov/ahpd
triggers:
  - id: t1
    kind: schedule
    title: Every ten past
    schedule:
      expression: 10 * * * *
      timeZone: America/Campo_Grande
    misfirePolicy: skip
---
Review what changed in the repository today.
"""
"""The seed's example of a file that was exported."""

BLUEPRINT = """\
---
version: 1
id: "review-yesterday-s-commits"
name: "Review yesterday's commits"
schedule:
  kind: cron
  expression: "0 9 * * *"
  timeZone: local
---

Review the commits made to this repository since yesterday morning.
"""
"""The seed's example of a file in VS Code's format."""


@attrs.frozen(kw_only=True)
class Ran:
    """What a run of the command left."""

    status: int
    out: str
    err: str


def definition(title="Nightly review", text="Look.", **more):
    return read_definition({"title": title, "message": {"text": text}, **more})


def scheduled(expression="0 9 * * *", id_="t1", **more):
    schedule = {"expression": expression, "timeZone": "Europe/Berlin"}
    return {"id": id_, "kind": "schedule", "schedule": schedule, **more}


def stored(
    id_="nightly-review",
    *,
    owner=None,
    created_at=1_000_000,
    modified_at=2_000_000,
    progress=None,
    **more,
):
    return StoredAutomation(
        resource=f"ahp-automation:/{id_}",
        definition=definition(**more),
        owner=owner,
        created_at=created_at,
        modified_at=modified_at,
        progress=RunProgress() if progress is None else progress,
    )


hostile_parts = (
    *("---", "...", "\n", "\r\n", "\r", '"', "'", "😀", "# x", "a: b", "{", "- ", "&a", "*a"),
    *("!x", "%", "@", "`", " ", "\t", "\ufeff", "\x85", "\u2028", "\x07", "\x1b", "<<", "="),
    *("null", "yes", "0x1f", "1e3", "2026-10-07", "é", "\u0301", "\u202e", "\ud7ff", "\uffff"),
)
hostile_text = st.lists(st.sampled_from(hostile_parts), max_size=8).map("".join)

texts = hostile_text | st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=20)


def has_nul(value):
    if isinstance(value, dict):
        return any(has_nul(key) or has_nul(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return any(has_nul(item) for item in value)
    return isinstance(value, str) and "\0" in value


@st.composite
def kept_automations(draw):
    made = without_host_notes(draw(definitions()))
    made = attrs.evolve(made, message=attrs.evolve(made.message, text=draw(texts)))
    title = draw(texts.filter(str.strip))
    return KeptAutomation(
        definition=attrs.evolve(made, title=title),
        owner=draw(st.sampled_from([None, "user:ann", "team:x y: #1"])),
        created_at=draw(st.none() | st.integers(0, 4 * 10**12)),
    )
