"""Everything a picture shows, chosen, thinned and explained.

A recording says what there is; a second replay, traced, says what the rules had meanwhile and
why. Only sessions with matches are worth that on a long log, and which they are is known after
the first: so there are two.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import tzinfo
from typing import Final, TypeAlias

import attrs

from wakeful.explain.firings import firings
from wakeful.explain.steps import What
from wakeful.explain.tracer import Tracer, Watch
from wakeful.explain.wording import Wording
from wakeful.model.events import Input
from wakeful.model.outputs import Decision, Match, OrderKey
from wakeful.model.time import Instant, format_duration
from wakeful.replay import Replay, Summary
from wakeful.report.kept import Lane
from wakeful.report.lanes import Drawn, drawn
from wakeful.report.recording import Recording
from wakeful.report.states import State, states
from wakeful.report.thinning import BUDGET, thin
from wakeful.report.words import local

Again: TypeAlias = Callable[[], tuple[Replay, Iterable[Input]]]
"""Makes the same replay once more, not yet begun, and its inputs from the beginning."""

Identity: TypeAlias = tuple[OrderKey, str]
"""What a decision, and the match it is about, are known by."""

_TRACED: Final = 60_000
"""How many inputs are traced at most; of longer logs, the sessions with the most matches."""

_EXPLAINED: Final = 5_000
_MOST_MATCHED: Final = 1_000
_MOST_QUIET: Final = 500
"""How many sessions with a match are drawn at most, and how many without."""


@attrs.frozen(kw_only=True)
class SessionPart:
    """One session of a picture.

    Attributes:
        drawn: What it did.
        states: What rules had in it; empty where it was not traced.
        matches: How many matches it had.
        wakes: How many decisions of those reached an agent.
        traced: Whether it was.
    """

    lane: Lane
    drawn: Drawn
    states: tuple[State, ...] = ()
    matches: int = 0
    wakes: int = 0
    traced: bool = False


@attrs.frozen(kw_only=True)
class Gathered:
    """Everything a picture shows.

    Attributes:
        recording: What was recorded; the exact numbers are its.
        summary: What the replay came to.
        start: The first instant that is shown, and ``end`` the last.
        zone: The zone that times are told in, with its name.
        sessions: In the order they came; those with matches before the others.
        decisions: In order, as many as are listed.
        explanations: Sentences about a decision and its match.
        notes: What was thinned or left out, in sentences.
    """

    recording: Recording
    summary: Summary
    start: Instant
    end: Instant
    zone: tzinfo
    zone_name: str
    sessions: tuple[SessionPart, ...]
    decisions: tuple[Decision, ...]
    matches: tuple[Match, ...]
    explanations: dict[Identity, list[str]]
    notes: tuple[str, ...]


def gather(  # noqa: PLR0913 - all but two are named
    recording: Recording,
    summary: Summary,
    *,
    zone: tzinfo,
    zone_name: str,
    again: Again | None = None,
    budget: int = BUDGET,
    traced: int = _TRACED,
) -> Gathered:
    """Choose, thin and explain what a recording has.

    Args:
        recording: A recording that is over.
        summary: What its replay came to.
        zone: The zone that times are told in.
        zone_name: What it is called.
        again: Makes the replay again, for what rules had and why; left out, that is not told.
        budget: How many turns, marks and steps of queues are drawn at most.
        traced: How many inputs are traced at most.
    """
    notes: list[str] = []
    start, end = _range(recording, summary)
    lanes = _chosen(recording, notes)
    held, explanations, all_traced = _traced(recording, again, end, zone, traced, notes)
    decisions = recording.decisions
    _tell_bounds(recording, notes)
    since = recording.shown.since
    matched: dict[str, list[Instant]] = {}
    for match in recording.matches:
        matched.setdefault(match.session or "", []).append(match.at)
    thinned = thin(
        [drawn(lane, end, since) for lane in lanes],
        [matched.get(lane.name, []) for lane in lanes],
        budget=budget,
    )
    if thinned.width is not None:
        near = f", beyond {format_duration(thinned.near)} of a match" if thinned.near else ""
        notes.append(
            f"Thinned: of {thinned.before:,} turns, calls and other marks {thinned.after:,} are "
            f"drawn. Events of one kind within {format_duration(thinned.width)}{near} are one "
            "mark, which tells how many."
        )
    parts = tuple(
        SessionPart(
            lane=lane,
            drawn=each,
            states=tuple(held.get(lane.name, ())),
            matches=recording.matched[lane.name],
            wakes=recording.woken[lane.name],
            traced=all_traced or lane.name in held,
        )
        for lane, each in zip(lanes, thinned.sessions, strict=True)
    )
    return Gathered(
        recording=recording,
        summary=summary,
        start=start,
        end=end,
        zone=zone,
        zone_name=zone_name,
        sessions=parts,
        decisions=tuple(decisions),
        matches=tuple(recording.matches),
        explanations=explanations,
        notes=tuple(notes),
    )


def _range(recording: Recording, summary: Summary) -> tuple[Instant, Instant]:
    end = summary.ended_at or 0
    start = recording.shown.since
    if start is None:
        start = end if summary.first_at is None else summary.first_at
    return start, max(start, end)


def _chosen(recording: Recording, notes: list[str]) -> list[Lane]:
    """The sessions that are drawn: those with a match, then the busiest without."""
    only = recording.shown.session
    lanes = [lane for lane in recording.lanes.values() if only in (None, lane.name)]
    matched = recording.matched
    loud = [lane for lane in lanes if matched[lane.name]]
    quiet = [lane for lane in lanes if not matched[lane.name]]
    loud, left = _most(loud, _MOST_MATCHED, lambda lane: matched[lane.name])
    if left:
        notes.append(f"{left:,} sessions with few matches are not drawn; their wakes are listed.")
    quiet, left = _most(quiet, _MOST_QUIET, len)
    if left:
        notes.append(f"{left:,} sessions without a match are not drawn.")
    return [*loud, *quiet]


def _most(
    lanes: Sequence[Lane], limit: int, weight: Callable[[Lane], int]
) -> tuple[list[Lane], int]:
    """The heaviest, in the order they came, and how many are not among them."""
    if len(lanes) <= limit:
        return list(lanes), 0
    kept = set(sorted(range(len(lanes)), key=lambda place: -weight(lanes[place]))[:limit])
    return [lane for place, lane in enumerate(lanes) if place in kept], len(lanes) - limit


def _traced(  # noqa: PLR0913, PLR0917 - one step of gather, with what that has
    recording: Recording,
    again: Again | None,
    end: Instant,
    zone: tzinfo,
    limit: int,
    notes: list[str],
) -> tuple[dict[str, list[State]], dict[Identity, list[str]], bool]:
    if again is None:
        return {}, {}, False
    sessions = None if recording.inputs <= limit else _worth_tracing(recording, limit)
    if sessions is not None:
        untraced = len([name for name in recording.matched if name and name not in sessions])
        if untraced:
            notes.append(
                f"What rules had meanwhile, and why they matched, is told of {len(sessions):,} "
                f"sessions; {untraced:,} more have matches. Replay one with --session to see it."
            )
        else:
            notes.append("What rules had meanwhile is told of the sessions with a match.")
    only = recording.shown
    if only.session is not None:
        sessions = frozenset({only.session})
    replay, inputs = again()
    watch = Watch(
        sessions=sessions,
        automations=None if only.automation is None else frozenset({only.automation}),
    )
    tracer = Tracer(replay, watch)
    tracer.play(inputs)
    return states(tracer, end), _explanations(tracer, recording, zone, notes), sessions is None


def _worth_tracing(recording: Recording, limit: int) -> frozenset[str]:
    found: set[str] = set()
    for name, _ in recording.matched.most_common():
        lane = recording.lanes.get(name)
        if lane is not None and len(lane) <= limit:
            found.add(name)
            limit -= len(lane)
    return frozenset(found)


def _explanations(
    tracer: Tracer, recording: Recording, zone: tzinfo, notes: list[str]
) -> dict[Identity, list[str]]:
    kept = [*recording.wakes, *recording.others]
    wanted = {(each.key, each.automation) for each in kept[:_EXPLAINED]}
    if len(kept) > _EXPLAINED:
        notes.append(f"{_EXPLAINED:,} decisions are explained, wakes first.")
    wording = Wording(lambda at: local(at, zone))
    found: dict[Identity, list[str]] = {}
    for step in tracer.steps:
        if step.what is What.DECIDED and step.decision is not None and step.standing is not None:
            identity = (step.decision.key, step.decision.automation)
            if identity in wanted:
                found[identity] = [wording.decision(step.decision, step.standing)]
    for firing in firings(tracer):
        identity = (firing.match.key, firing.match.automation)
        if identity in wanted:
            found[identity] = list(wording.firing(firing))
    return found


def _tell_bounds(recording: Recording, notes: list[str]) -> None:
    for what, kept in (
        ("wakes", recording.wakes),
        ("other decisions", recording.others),
        ("matches", recording.matches),
    ):
        if kept.offered > len(kept):
            notes.append(f"Of {kept.offered:,} {what} {len(kept):,} are listed, evenly spread.")
