"""Every way in which one value of an automation can be wrong, as a table.

Each row takes a good automation, puts one value in one place, and says which problem that
is. The tests hold plain data, YAML files and JSON files against the same rows.
"""

import copy
from typing import Any

import attrs

from wakeful.errors import MISSING
from wakeful.reading.paths import split

GONE = object()
"""Put into a place to take away what is there."""

DURATION = "a duration such as 30s, 5m or 2h"
WHOLE = "a whole number from 1 to 1000000"
EVENTS = (
    "an event of a session: turnCompleted, turnFailed, turnCancelled, toolCalled, toolFailed, "
    "messageQueued, idle or childFinished"
)
PRESETS = (
    "a preset: looks-stuck, failing-tools, long-silent-turn, idle-after-failure "
    "or waiting-while-busy"
)
OVERLAPS = "an overlap: queue, steer, parallel or skip"
OWNER = "an owner: user:, team:, project:, root: or plugin: with an id"
INSTANT = "a full instant with a zone, such as 2026-10-01T17:00:00Z"
CRON = "a cron expression of five fields"
SESSION_KEYS = "one of the keys filter, count, then, when"


def good() -> dict[str, Any]:
    """An automation with a trigger of each kind: ``session``, ``watch``, ``schedule``, a plugin's."""
    return {
        "id": "good",
        "title": "Good",
        "owner": "user:ann",
        "overlap": "queue",
        "message": {"text": "Look.", "origin": {"kind": "automation"}},
        "session": {"provider": "claude", "workingDirectories": ["file:///w/api"]},
        "triggers": [
            {
                "id": "s",
                "kind": "event",
                "type": "session",
                "title": "Failures",
                "events": [{"id": "toolFailed"}],
                "config": {
                    "filter": {"projects": ["api"], "automated": False},
                    "count": {"n": 3, "within": "5m"},
                    "then": {"kind": "absent", "event": "toolCalled", "for": "3m"},
                    "when": {"running": True, "queuedAtLeast": 1, "turnLongerThan": "1m"},
                },
            },
            {
                "id": "w",
                "kind": "event",
                "type": "watch",
                "events": [{"id": "looks-stuck"}],
                "config": {"times": 4},
            },
            {
                "id": "c",
                "kind": "schedule",
                "schedule": {"expression": "0 9 * * *", "timeZone": "Europe/Berlin"},
                "misfirePolicy": "skip",
            },
            {
                "id": "p",
                "kind": "event",
                "type": "git.push",
                "events": [{"id": "pushed"}],
                "config": {"branch": "main"},
            },
        ],
        "disableConditions": [{"kind": "afterRuns", "max": 5}],
        "_meta": {"kept": [1, None]},
    }


@attrs.frozen
class Refusal:
    """One row: ``value`` put at ``at`` is the problem that ``expected`` was not met at ``path``."""

    at: str
    value: Any
    expected: str
    path: str = attrs.field(default=attrs.Factory(lambda self: self.at, takes_self=True))
    told: Any = attrs.field(default=attrs.Factory(lambda self: self.value, takes_self=True))

    @property
    def name(self) -> str:
        return f"{self.at} = {'gone' if self.value is GONE else repr(self.value)[:40]}"

    def data(self) -> dict[str, Any]:
        return put(good(), self.at, self.value)


def put(data: dict[str, Any], at: str, value: Any) -> dict[str, Any]:
    """A copy of ``data`` with another value in one place."""
    changed = copy.deepcopy(data)
    *way, last = split(at)
    inner: Any = changed
    for step in way:
        inner = inner[step]
    if value is GONE:
        del inner[last]
    else:
        inner[last] = value
    return changed


def missing(at: str, expected: str) -> Refusal:
    return Refusal(at, GONE, expected, at, MISSING)


COUNT = "triggers[0].config.count"
THEN = "triggers[0].config.then"
WHEN = "triggers[0].config.when"
FILTER = "triggers[0].config.filter"

REFUSALS = [
    # the automation
    missing("id", "an id: text on one line without the scheme ahp-automation:, such as failing-tests"),
    missing("title", "non-empty text"),
    missing("message", "a map with a text"),
    missing("message.text", "text"),
    Refusal("title", "", "non-empty text"),
    Refusal("title", "  ", "non-empty text"),
    Refusal("title", 5, "non-empty text"),
    Refusal("title", None, "non-empty text"),
    Refusal("enabled", "yes", "true or false"),
    Refusal("enabled", 1, "true or false"),
    Refusal("message", "Look.", "a map"),
    Refusal("message.text", 5, "text"),
    Refusal("message.origin", "automation", "a map with a kind"),
    Refusal("message.origin.kind", "user", "automation, or left out"),
    Refusal("message.origin", {}, "automation, or left out", "message.origin.kind", MISSING),
    Refusal("session", [], "a map"),
    Refusal("session.provider", 1, "non-empty text"),
    Refusal("session.workingDirectories", "file:///w", "a list"),
    Refusal("session.workingDirectories[0]", 7, "text"),
    Refusal("triggers", {}, "a list"),
    Refusal("triggers[1]", "watch", "a map"),
    Refusal("overlap", "wait", OVERLAPS),
    Refusal("overlap", True, OVERLAPS),
    Refusal("pinned", "true", "true or false"),
    Refusal("owner", "ann", OWNER),
    Refusal("owner", "user:", OWNER),
    Refusal("owner", "group:ops", OWNER),
    Refusal("owner", None, OWNER),
    Refusal("_meta", [], "a map"),
    Refusal("_meta.ahpd", 1, "a map"),
    Refusal("_meta.ahpd", {"overlap": "often"}, OVERLAPS, "_meta.ahpd.overlap", "often"),
    Refusal(
        "_meta.ahpd",
        {"session": "pined"},
        "a way to keep sessions: pinned",
        "_meta.ahpd.session",
        "pined",
    ),
    Refusal(
        "_meta.ahpd",
        {"overlap": "skip"},
        "what _meta.ahpd.overlap says, or only one of the two",
        "overlap",
        "queue",
    ),
    Refusal(
        '_meta["ahpd.owner"]',
        "user:bob",
        'what _meta["ahpd.owner"] says, or only one of the two',
        "owner",
        "user:ann",
    ),
    # disable conditions
    Refusal("disableConditions", {}, "a list"),
    Refusal("disableConditions[0].max", 0, "a whole number from 1 to 9007199254740991"),
    Refusal("disableConditions[0].max", 1.5, "a whole number from 1 to 9007199254740991"),
    Refusal("disableConditions[0].max", 2**53, "a whole number from 1 to 9007199254740991"),
    missing("disableConditions[0].max", "a whole number from 1 to 9007199254740991"),
    missing("disableConditions[0].kind", "a disable condition: afterRuns or afterDate"),
    Refusal("disableConditions[0].kind", "maxRuns", "a disable condition: afterRuns or afterDate"),
    *(
        Refusal(
            "disableConditions[0]",
            {"kind": "afterDate", "date": date},
            INSTANT,
            "disableConditions[0].date",
            date,
        )
        for date in (
            "2026-10-01",
            "2026-10-01T00:00:00",
            "2026-10-01T10:00Z",
            "not a date",
            1759276800000,
        )
    ),
    # triggers of every kind
    missing("triggers[0].id", "non-empty text"),
    missing("triggers[0].kind", "a kind of trigger: schedule or event"),
    missing("triggers[0].type", "non-empty text"),
    missing("triggers[0].events", "a list"),
    missing("triggers[2].schedule", "a map"),
    missing("triggers[2].schedule.expression", CRON),
    Refusal("triggers[0].id", "", "non-empty text"),
    Refusal("triggers[0].kind", "cron", "a kind of trigger: schedule or event"),
    Refusal("triggers[0].type", 3, "non-empty text"),
    Refusal("triggers[0].title", "", "non-empty text"),
    Refusal("triggers[0].events", [], "a list of at least one event"),
    Refusal("triggers[0].events", "idle", "a list"),
    Refusal("triggers[0].events[0]", "idle", "a map (id, title, description)"),
    Refusal("triggers[0].events[0].id", "toolFailde", EVENTS),
    Refusal("triggers[1].events[0].id", "failing-tool", PRESETS),
    Refusal("triggers[1].events", [], "a list of at least one event"),
    Refusal("triggers[3].events", [], "a list of at least one event"),
    Refusal("triggers[3].events[0].id", "", "non-empty text"),
    Refusal("triggers[3].config", [], "a map"),
    Refusal("triggers[1].id", "s", "an id that no other trigger has"),
    # the rule around the event
    Refusal("triggers[0].config", [], "a map (filter, count, then, when)"),
    Refusal(COUNT, None, "a map (n, consecutive, sameInput, within)"),
    *(Refusal(f"{COUNT}.n", n, WHOLE) for n in ("3", True, 3.0, 0, -1, 1_000_001, None, [3])),
    *(
        Refusal(f"{COUNT}.within", within, DURATION)
        for within in (5, "5", "250ms", "1h30m", "-1m", "1.5m", "5M", "", None, True)
    ),
    Refusal(f"{COUNT}.within", f"{10**12}h", "a duration of at most 10 000 years"),
    Refusal(f"{COUNT}.consecutive", "yes", "true or false"),
    Refusal(f"{COUNT}.sameInput", 0, "true or false"),
    Refusal(f"{FILTER}.projects", "api", "a list"),
    Refusal(f"{FILTER}.projects[0]", 4, "text"),
    Refusal(f"{FILTER}.automated", "no", "true or false"),
    Refusal(f"{WHEN}.running", "true", "true or false"),
    Refusal(f"{WHEN}.queuedAtLeast", "1", "a whole number at least 0"),
    Refusal(f"{WHEN}.queuedAtLeast", -1, "a whole number at least 0"),
    Refusal(f"{WHEN}.turnLongerThan", 60, DURATION),
    missing(f"{THEN}.kind", "a kind of follow-up: event, idle or absent"),
    missing(f"{THEN}.event", EVENTS),
    missing(f"{THEN}.for", DURATION),
    Refusal(f"{THEN}.kind", "silence", "a kind of follow-up: event, idle or absent"),
    Refusal(f"{THEN}.event", "toolcalled", EVENTS),
    Refusal(f"{THEN}.for", 3, DURATION),
    Refusal(f"{THEN}", {"kind": "event", "event": "idle"}, DURATION, f"{THEN}.within", MISSING),
    Refusal(f"{THEN}", {"kind": "event", "within": "1m"}, EVENTS, f"{THEN}.event", MISSING),
    Refusal(f"{THEN}", {"kind": "idle"}, DURATION, f"{THEN}.for", MISSING),
    # presets
    *(
        Refusal("triggers[1].config.times", times, WHOLE)
        for times in ("3", True, 3.0, 0, 1_000_001, None)
    ),
    Refusal("triggers[1].config", {"times": 3, "filter": {"folders": 1}}, "a list",
            "triggers[1].config.filter.folders", 1),
    # schedules
    Refusal("triggers[2].schedule.expression", 5, CRON),
    Refusal("triggers[2].schedule.timeZone", 1, "the name of a time zone, such as Europe/Berlin"),
    Refusal("triggers[2].schedule", "0 9 * * *", "a map (expression, timeZone)"),
    Refusal("triggers[2].misfirePolicy", "once", "a misfire policy: runOnce or skip"),
    Refusal("triggers[2].title", "", "non-empty text"),
]  # fmt: skip

UNKNOWN_KEYS = [
    # where, what was written, what was meant
    ("", "overlp", "overlap"),
    ("", "TRIGGERS", "triggers"),
    ("", "disable_conditions", "disableConditions"),
    ("session", "workingDirectory", "workingDirectories"),
    ("triggers[0]", "event", "events"),
    ("triggers[0].config", "cuont", "count"),
    ("triggers[0].config.filter", "project", "projects"),
    ("triggers[0].config.count", "same_input", "sameInput"),
    ("triggers[0].config.when", "toolCallsAtleast", "toolCallsAtLeast"),
    ("triggers[0].config.then", "form", "for"),
    ("triggers[0].events[0]", "descripton", "description"),
    ("triggers[1].config", "time", "times"),
    ("triggers[2]", "misfire", "misfirePolicy"),
    ("triggers[2].schedule", "timezone", "timeZone"),
    ("disableConditions[0]", "maximum", "max"),
]
