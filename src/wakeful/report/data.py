"""What a page is drawn from, as plain data: small, and readable by other programs.

Instants within are milliseconds after ``start``; sessions, rules, tools and kinds are places in
their lists. Decisions are those of ``wakeful replay --json``, member by member.
"""

from typing import Any, Final

from wakeful.explain.steps import RuleName
from wakeful.model.outputs import Decision, Match
from wakeful.model.time import Instant, format_instant
from wakeful.model.triggers import PluginTrigger, ScheduleTrigger, Trigger, WatchTrigger
from wakeful.replay import decision_record
from wakeful.report.gathering import Gathered, SessionPart
from wakeful.report.kept import KINDS
from wakeful.report.lanes import Drawn, Mark, Turn
from wakeful.report.offsets import offsets
from wakeful.report.overview import decisions_by_reason, wakes_per_hour
from wakeful.report.states import State
from wakeful.report.words import short

FORMAT: Final = 1
"""The version of the page's data."""

_TEXT: Final = 2_000_000
"""How many characters the messages of all decisions may take."""

_SHORTEST: Final = 80


class Rules:
    """The rules that a picture names, each once, with the words for it."""

    def __init__(self, gathered: Gathered) -> None:
        self._titles: dict[str, str] = {}
        self._triggers: dict[tuple[str, str], Trigger] = {}
        for automation in gathered.recording.replay.automations:
            self._titles[automation.resource] = automation.definition.title
            for trigger in automation.definition.triggers:
                self._triggers[automation.resource, trigger.id] = trigger
        self._places: dict[RuleName, int] = {}
        self.names: list[RuleName] = []

    def place(self, name: RuleName) -> int:
        """The place of a rule in the list."""
        place = self._places.get(name)
        if place is None:
            place = self._places[name] = len(self.names)
            self.names.append(name)
        return place

    def only_preset(self, decision: Decision) -> str | None:
        """The preset of a decision that was not made with its match, where there is but one."""
        trigger = self._triggers.get((decision.automation, decision.trigger or ""))
        if isinstance(trigger, WatchTrigger) and len(trigger.rules) == 1:
            return trigger.rules[0][0]
        return None

    def told(self) -> list[dict[str, Any]]:
        """The rules as plain data."""
        return [self._told(name) for name in self.names]

    def _told(self, name: RuleName) -> dict[str, Any]:
        trigger = self._triggers.get((name.automation, name.trigger))
        told: dict[str, Any] = {
            "automation": name.automation,
            "id": short(name.automation),
            "trigger": name.trigger,
            "preset": name.preset,
            "title": self._titles.get(name.automation),
            "kind": _kind(trigger),
            "triggerTitle": None if trigger is None else trigger.title,
        }
        return {key: value for key, value in told.items() if value is not None}


def _kind(trigger: Trigger | None) -> str | None:
    if trigger is None:
        return None
    if isinstance(trigger, ScheduleTrigger):
        return f"schedule {trigger.expression} {trigger.time_zone}"
    return trigger.type if isinstance(trigger, PluginTrigger) else "session"


def page_data(gathered: Gathered) -> dict[str, Any]:
    """The whole data of a page."""
    recording, start = gathered.recording, gathered.start
    rules = Rules(gathered)
    presets = {(match.key, match.automation): match.preset for match in gathered.matches}
    decisions, explained = [], {}
    room = max(_SHORTEST, _TEXT // max(1, len(gathered.decisions)))
    for place, decision in enumerate(gathered.decisions):
        identity = (decision.key, decision.automation)
        record = decision_record(decision)
        if len(record.get("message", "")) > room:
            record["message"] = record["message"][: room - 1] + "…"
        name = RuleName(
            automation=decision.automation,
            trigger=decision.trigger or "",
            preset=presets.get(identity) or rules.only_preset(decision),
        )
        decisions.append({"rule": rules.place(name), "t": decision.at - start, **record})
        if gathered.explanations.get(identity):
            explained[place] = gathered.explanations[identity]
    sessions = [_session(each, rules, start) for each in gathered.sessions]
    matches = [_match(each, rules, start) for each in gathered.matches]
    cap = recording.replay.engine.settings.cap
    return {
        "format": FORMAT,
        "start": start,
        "from": format_instant(start),
        "until": format_instant(gathered.end),
        "length": gathered.end - start,
        "zone": {
            "name": gathered.zone_name,
            "offsets": offsets(gathered.start, gathered.end, gathered.zone),
        },
        "kinds": KINDS,
        "tools": recording.tools.names,
        "sessions": sessions,
        "matches": matches,
        "decisions": decisions,
        "explained": explained,
        "rules": rules.told(),
        "counts": counts(gathered),
        "overview": {
            "hours": wakes_per_hour(
                recording.quarters, recording.capped, zone=gathered.zone, cap=cap
            ),
            "reasons": decisions_by_reason(recording.decided),
        },
        "summary": gathered.summary.to_dict(),
        "notes": list(gathered.notes),
    }


def counts(gathered: Gathered) -> dict[str, Any]:
    """The exact numbers of what is shown, whatever is listed or drawn."""
    recording = gathered.recording
    by_decision: dict[str, int] = {}
    by_reason: dict[str, int] = {}
    by_automation: dict[str, int] = {}
    for (automation, word, reason), number in sorted(recording.decided.items()):
        by_decision[word] = by_decision.get(word, 0) + number
        by_automation[automation] = by_automation.get(automation, 0) + number
        if reason:
            by_reason[reason] = by_reason.get(reason, 0) + number
    return {
        "decisions": recording.decided.total(),
        "matches": recording.matched.total(),
        "wakes": recording.woken.total(),
        "sessions": len(recording.lanes),
        "inputs": recording.inputs,
        "byDecision": by_decision,
        "byReason": by_reason,
        "byAutomation": by_automation,
    }


def _session(part: SessionPart, rules: Rules, start: Instant) -> dict[str, Any]:
    lane, facts = part.lane, part.lane.facts
    told: dict[str, Any] = {
        "id": lane.name,
        "title": lane.title,
        "owner": facts.owner,
        "provider": facts.provider,
        "project": facts.project,
        "automated": facts.automated or None,
        "inputs": len(lane),
        "matches": part.matches,
        "wakes": part.wakes,
        "traced": part.traced,
        **_drawn(part.drawn, start),
        "rules": [_state(each, rules, start) for each in part.states],
    }
    return {key: value for key, value in told.items() if value is not None}


def _drawn(drawn: Drawn, start: Instant) -> dict[str, Any]:
    return {
        "turns": [_turn(each, start) for each in drawn.turns],
        "marks": [_mark(each, start) for each in drawn.marks],
        "silences": [[each.start - start, each.end - start] for each in drawn.silences],
        "queue": [[each.at - start, each.n] for each in drawn.queue],
    }


def _turn(turn: Turn, start: Instant) -> list[Any]:
    told: list[Any] = [turn.start - start, turn.end - start, turn.outcome]
    return told if turn.n == 1 else [*told, turn.n]


def _mark(mark: Mark, start: Instant) -> list[int]:
    told = [mark.at - start, mark.code, mark.tool]
    return told if mark.until is None else [*told, mark.n, mark.until - start]


def _state(state: State, rules: Rules, start: Instant) -> dict[str, Any]:
    return {
        "rule": rules.place(state.rule),
        "of": state.of,
        "hits": [[each.at - start, each.n] for each in state.hits],
        "waits": [
            [each.start - start, each.end - start, each.due - start, each.how]
            for each in state.waits
        ],
        "matches": [at - start for at in state.matches],
        "passedOver": state.passed_over,
        "leftOut": state.left_out,
    }


def _match(match: Match, rules: Rules, start: Instant) -> list[Any]:
    name = RuleName(automation=match.automation, trigger=match.trigger, preset=match.preset)
    return [match.at - start, rules.place(name), match.session, match.event, match.count]
