"""A static picture for documents and issues: one session, or the sessions of one automation.

It is drawn from what the page is drawn from, without a browser: lanes, bars and marks are
simple enough for a template, and the picture is a few kilobytes.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import attrs

from wakeful.explain.wording import length
from wakeful.model.outputs import Decision
from wakeful.model.time import DAY, HOUR, MINUTE, SECOND, Duration, Instant
from wakeful.report.gathering import Gathered, SessionPart
from wakeful.report.kept import CODES
from wakeful.report.lanes import Outcome
from wakeful.report.offsets import offset
from wakeful.report.recording import WAKES
from wakeful.report.states import State
from wakeful.report.templates import environment
from wakeful.report.words import local, rule_words, short

_WIDTH: Final = 1_000
_LABELS: Final = 280
_RIGHT: Final = 20
_TOP: Final = 50
_LANE: Final = 44
_RULE: Final = 26
_LABEL: Final = 42
_MOST_SESSIONS: Final = 12
_TICKS: Final = 8
_STEPS: Final[tuple[Duration, ...]] = (
    *(each * SECOND for each in (1, 2, 5, 10, 15, 30)),
    *(each * MINUTE for each in (1, 2, 5, 10, 15, 30)),
    *(each * HOUR for each in (1, 2, 3, 6, 12)),
    *(each * DAY for each in (1, 2, 7, 30, 90, 365, 3_650, 36_500)),
)
_FILLS: Final[dict[Outcome, str]] = {
    "completed": "#56b4e9",
    "open": "#a9d8f5",
    "failed": "#d55e00",
    "cancelled": "#8c959f",
    "replaced": "#8c959f",
    "ended": "#8c959f",
}
_CALLED: Final = CODES["toolCalled"]
_FAILED: Final = CODES["toolFailed"]
_QUEUED: Final = CODES["messageQueued"]
_LEGEND: Final = (
    "★ a wake · ◆ a wake that waits, or a press · ✕ a failed call, or a wake dropped · "
    "▼ a message queued · hatched: silent · green: hits · amber: a wait, to its deadline"
)


@attrs.frozen(kw_only=True)
class Tick:
    """A time on the axis."""

    x: float
    text: str


@attrs.frozen(kw_only=True)
class Bar:
    """Something that lasted."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    text: str
    stroke: str = ""


@attrs.frozen(kw_only=True)
class Path:
    """Stairs."""

    d: str
    stroke: str


@attrs.frozen(kw_only=True)
class Sign:
    """Something that happened; ``shape`` is one of the template's."""

    shape: str
    x: float
    y: float
    fill: str
    text: str
    stroke: str = "none"


@attrs.define(kw_only=True)
class Row:
    """A session's lane, or a rule's beneath it."""

    y: int
    height: int
    label: str
    is_session: bool
    bars: list[Bar] = attrs.field(factory=list)
    paths: list[Path] = attrs.field(factory=list)
    marks: list[Sign] = attrs.field(factory=list)


@attrs.frozen(kw_only=True)
class Still:
    """A picture, laid out."""

    title: str
    subtitle: str
    height: int
    axis_y: int
    ticks: tuple[Tick, ...]
    rows: tuple[Row, ...]
    legend: str = _LEGEND
    width: int = _WIDTH


def still(gathered: Gathered) -> str:
    """The picture as SVG: of the session or automation that was asked for.

    Where neither was, it is of the session with the most matches.
    """
    return environment().get_template("still.svg").render(still=_Drawing(gathered).still())


class _Drawing:
    def __init__(self, gathered: Gathered) -> None:
        self._gathered = gathered
        self._parts = _parts(gathered)
        self._start, self._end = _range(gathered, self._parts)
        self._scale = (_WIDTH - _LABELS - _RIGHT) / max(1, self._end - self._start)

    def still(self) -> Still:
        rows: list[Row] = []
        y = _TOP
        for part in self._parts:
            rows.append(self._session(part, y))
            y += _LANE
            for state in part.states:
                if state.hits or state.waits or state.matches:
                    rows.append(self._rule(state, y))
                    y += _RULE
        gathered = self._gathered
        zone = gathered.zone
        lasting = length(self._end - self._start)
        return Still(
            title=self._title(),
            subtitle=f"{local(self._start, zone)} to {local(self._end, zone)[11:]} "
            f"{gathered.zone_name} ({lasting})",
            height=y + 50,
            axis_y=y,
            ticks=tuple(self._ticks()),
            rows=tuple(rows),
        )

    def _title(self) -> str:
        shown = self._gathered.recording.shown
        if shown.automation is not None:
            titles = {
                each.resource: each.definition.title
                for each in self._gathered.recording.replay.automations
            }
            return titles.get(shown.automation, short(shown.automation))
        return _name(self._parts[0]) if self._parts else "Nothing to draw"

    def _x(self, at: Instant) -> float:
        inside = min(max(at, self._start), self._end)
        return round(_LABELS + (inside - self._start) * self._scale, 1)

    def _is_in(self, start: Instant, end: Instant) -> bool:
        return end >= self._start and start <= self._end

    def _bar(  # noqa: PLR0913 - all but two are named
        self,
        start: Instant,
        end: Instant,
        *,
        y: float,
        height: float,
        fill: str,
        text: str,
        stroke: str = "",
    ) -> Bar:
        x = self._x(start)
        width = round(max(self._x(end) - x, 0.8), 1)
        return Bar(x=x, y=y, width=width, height=height, fill=fill, text=text, stroke=stroke)

    def _session(self, part: SessionPart, y: int) -> Row:
        row = Row(y=y, height=_LANE, label=_cut(_name(part)), is_session=True)
        zone = self._gathered.zone
        drawn = part.drawn
        for turn in drawn.turns:
            if self._is_in(turn.start, turn.end):
                said = f"{turn.outcome}: {local(turn.start, zone)} to {local(turn.end, zone)}"
                fill = _FILLS[turn.outcome]
                row.bars.append(
                    self._bar(turn.start, turn.end, y=y + 18, height=11, fill=fill, text=said)
                )
        for silence in drawn.silences:
            if self._is_in(silence.start, silence.end):
                row.bars.append(
                    self._bar(
                        silence.start,
                        silence.end,
                        y=y + 20,
                        height=7,
                        fill="url(#hatch)",
                        text=f"silent for {length(silence.end - silence.start)}",
                    )
                )
        calls = [each for each in drawn.marks if each.code == _CALLED]
        ticks = sorted({self._x(each.at) for each in calls if self._is_in(each.at, each.at)})
        if ticks:
            path = "".join(f"M{x} {y + 19}v9" for x in ticks)
            row.paths.append(Path(d=path, stroke="#0072b2"))
        seen: set[tuple[int, float]] = set()
        for mark in drawn.marks:
            place = (mark.code, self._x(mark.at))
            if not self._is_in(mark.at, mark.at) or place in seen:
                continue
            seen.add(place)
            said = local(mark.at, zone)
            if mark.code == _FAILED:
                row.marks.append(
                    Sign(
                        shape="drop",
                        x=place[1],
                        y=y + 23.5,
                        fill="none",
                        stroke="#a33f00",
                        text=f"a call failed at {said}",
                    )
                )
            elif mark.code == _QUEUED:
                row.marks.append(
                    Sign(
                        shape="queued",
                        x=place[1],
                        y=y + 37,
                        fill="#cc79a7",
                        text=f"a message was queued at {said}",
                    )
                )
        row.marks += self._decisions(part, y)
        return row

    def _decisions(self, part: SessionPart, y: int) -> Iterator[Sign]:
        decided = [each for each in self._gathered.decisions if each.session == part.lane.name]
        # Wakes last: they stand on top.
        for decision in sorted(decided, key=lambda each: each.kind in WAKES):
            if self._is_in(decision.at, decision.at):
                yield self._decision(decision, y)

    def _decision(self, decision: Decision, y: int) -> Sign:
        word = decision.kind.value
        reason = "" if decision.reason is None else f" {decision.reason.value}"
        text = (
            f"{word}{reason}: {short(decision.automation)} "
            f"at {local(decision.at, self._gathered.zone)}"
        )
        x = self._x(decision.at)
        if decision.kind in WAKES:
            return Sign(shape="star", x=x, y=y + 10, fill="#b34700", stroke="#ffffff", text=text)
        if word == "drop":
            return Sign(shape="drop", x=x, y=y + 37, fill="none", stroke="#57606a", text=text)
        return Sign(shape="other", x=x, y=y + 37, fill="#0072b2", text=text)

    def _rule(self, state: State, y: int) -> Row:
        row = Row(y=y, height=_RULE, label=_cut(rule_words(state.rule)), is_session=False)
        zone = self._gathered.zone
        for wait in state.waits:
            if self._is_in(wait.start, wait.end):
                said = f"waits until {local(wait.due, zone)}: {wait.how}"
                row.bars.append(
                    self._bar(
                        wait.start,
                        wait.end,
                        y=y + 8,
                        height=10,
                        fill="#f6dca0",
                        stroke="#e69f00",
                        text=said,
                    )
                )
        path = self._hits(state, y)
        if path:
            row.paths.append(Path(d=path, stroke="#009e73"))
        row.marks += [
            Sign(
                shape="other",
                x=self._x(at),
                y=y + 13,
                fill="#000000",
                text=f"match at {local(at, zone)}",
            )
            for at in state.matches
            if self._is_in(at, at)
        ]
        return row

    def _hits(self, state: State, y: int) -> str:
        bottom, full = y + _RULE - 4, _RULE - 8
        steps: list[str] = []
        drawn = 0
        ends = [*(each.at for each in state.hits[1:]), self._end]
        for hit, after in zip(state.hits, ends, strict=False):
            if not self._is_in(hit.at, after):
                continue
            level = round(bottom - full * min(hit.n, state.of) / state.of, 1)
            if hit.n and not drawn:
                steps.append(f"M{self._x(hit.at)} {bottom}")
            if hit.n or drawn:
                steps.append(f"V{level}" + (f"H{self._x(after)}" if hit.n else ""))
            drawn = hit.n
        return "".join(steps)

    def _ticks(self) -> Iterator[Tick]:
        lasting = self._end - self._start
        step = next((each for each in _STEPS if lasting // each <= _TICKS), _STEPS[-1])
        zone = self._gathered.zone
        ahead = offset(self._start, zone) * MINUTE
        at = -(-(self._start + ahead) // step) * step - ahead
        while at <= self._end:
            told = local(at, zone)
            text = told[:10] if step >= DAY else told[11:16] if step >= MINUTE else told[11:19]
            yield Tick(x=self._x(at), text=text)
            at += step


def _parts(gathered: Gathered) -> Sequence[SessionPart]:
    shown = gathered.recording.shown
    parts = gathered.sessions
    if shown.session is not None:
        return [part for part in parts if part.lane.name == shown.session]
    busiest = sorted(parts, key=lambda part: -part.matches)
    if shown.automation is None:
        return busiest[:1]
    chosen = {id(part) for part in busiest[:_MOST_SESSIONS] if part.matches}
    return [part for part in parts if id(part) in chosen]


def _range(gathered: Gathered, parts: Iterable[SessionPart]) -> tuple[Instant, Instant]:
    """From when the sessions began until the last thing that was decided of them."""
    start, end = gathered.end, gathered.start
    names = set()
    for part in parts:
        names.add(part.lane.name)
        start, end = min(start, part.lane.at[0]), max(end, part.lane.at[-1])
    for decision in gathered.decisions:
        if decision.session in names:
            end = max(end, decision.at)
    if not names:
        return gathered.start, gathered.end
    start = max(start, gathered.start)
    margin = max((end - start) // 50, SECOND)
    start, end = start - margin, max(start, end) + margin
    return start - start % SECOND, end + -end % SECOND


def _name(part: SessionPart) -> str:
    return part.lane.title or part.lane.name


def _cut(text: str) -> str:
    return text if len(text) <= _LABEL else f"{text[: _LABEL - 1]}…"
