"""The overview's figures: wakes per hour with the cap, and decisions by reason.

They are plotly's, made and checked here and drawn by the page. Plotly reads a little HTML in
its texts, so what comes from a log or a rule is escaped once for it.
"""

from collections import Counter
from collections.abc import Mapping
from datetime import tzinfo
from html import escape
from typing import Any, Final

import plotly.graph_objects as go

from wakeful.model.time import HOUR, Instant, from_datetime, to_datetime
from wakeful.report.words import local, short

COLOURS: Final = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
"""Okabe and Ito's, which the colour-blind tell apart; the patterns below say it again."""

_PATTERNS: Final = ("", "/", ".", "x", "\\", "-", "+")
_NAMED: Final = len(COLOURS) - 1
_MOST_HOURS: Final = 4_000
_TICKS: Final = 8


def plain(text: str) -> str:
    """A text that plotly shows as it is."""
    return escape(text, quote=False)


def hour_of(instant: Instant, zone: tzinfo) -> Instant:
    """When the hour began that the clocks of a zone showed."""
    try:
        local = to_datetime(instant, zone)
    except OverflowError:
        return instant - instant % HOUR
    return from_datetime(local.replace(minute=0, second=0, microsecond=0))


def wakes_per_hour(
    quarters: Mapping[tuple[Instant, str], int],
    capped: Mapping[tuple[Instant, str], int],
    *,
    zone: tzinfo,
    cap: int | None,
) -> dict[str, Any]:
    """How many wakes reached an agent in each hour, by automation, with the cap of one.

    Args:
        quarters: Wakes by quarter of an hour and automation.
        capped: How often the cap was hit, by the same.
        zone: Whose hours these are.
        cap: How many wakes by events an automation may have in an hour; ``None`` for no line.
    """
    by_automation: dict[str, Counter[Instant]] = {}
    for (quarter, automation), number in quarters.items():
        by_automation.setdefault(automation, Counter())[hour_of(quarter, zone)] += number
    order = sorted(by_automation, key=lambda each: (-by_automation[each].total(), each))
    figure = go.Figure()
    for place, automation in enumerate(order[:_NAMED]):
        _bars(figure, short(automation), by_automation[automation], place)
    rest: Counter[Instant] = Counter()
    for automation in order[_NAMED:]:
        rest.update(by_automation[automation])
    if rest:
        _bars(figure, f"{len(order) - _NAMED} others", rest, _NAMED)
    hits: Counter[Instant] = Counter()
    for (quarter, _), number in capped.items():
        hits[hour_of(quarter, zone)] += number
    if hits:
        at = sorted(hits)
        figure.add_scatter(
            x=[each + HOUR // 2 for each in at],
            y=[0] * len(at),
            name="cap hit",
            mode="markers",
            marker={"symbol": "x", "size": 11, "color": "#D55E00", "line": {"width": 1}},
            customdata=[f"cap hit {hits[each]:,} times" for each in at],
        )
    hours = sorted({*hits, *(each for counts in by_automation.values() for each in counts)})
    if cap is not None and hours:
        figure.add_scatter(
            x=[hours[0], hours[-1] + HOUR],
            y=[cap, cap],
            name=f"cap of one automation ({cap})",
            mode="lines",
            line={"dash": "dash", "width": 2, "color": "#D55E00"},
            hoverinfo="skip",
        )
    figure.update_layout(barmode="stack", bargap=0, xaxis=_ticks(hours, zone))
    figure.update_yaxes(rangemode="tozero", title={"text": "wakes"})
    return _as_json(figure)


def decisions_by_reason(decided: Mapping[tuple[str, str, str], int]) -> dict[str, Any]:
    """How many decisions there were of each word, and of each reason of it.

    Args:
        decided: Decisions by automation, word and reason.
    """
    rows: Counter[tuple[str, str]] = Counter()
    for (_, word, reason), number in decided.items():
        rows[word, reason] += number
    order = sorted(rows, key=lambda each: (rows[each], each))
    figure = go.Figure()
    figure.add_bar(
        orientation="h",
        y=[f"{word} {reason}".strip() for word, reason in order],
        x=[rows[each] for each in order],
        text=[f"{rows[each]:,}" for each in order],
        textposition="outside",
        cliponaxis=False,
        marker={"color": [_colour(word) for word, _ in order]},
        customdata=[f"{word} {reason}: {rows[word, reason]:,}" for word, reason in order],
    )
    figure.update_yaxes(type="category")
    return _as_json(figure)


def _colour(word: str) -> str:
    if word in {"start", "release", "steer"}:
        return COLOURS[1]
    return COLOURS[0] if word in {"hold", "fold"} else "#999999"


def _bars(figure: go.Figure, name: str, counts: Mapping[Instant, int], place: int) -> None:
    at = sorted(sorted(counts, key=lambda each: -counts[each])[:_MOST_HOURS])
    figure.add_bar(
        name=plain(name),
        x=[each + HOUR // 2 for each in at],
        width=[HOUR] * len(at),
        y=[counts[each] for each in at],
        marker={
            "color": COLOURS[place],
            "pattern": {"shape": _PATTERNS[place], "fillmode": "overlay"},
        },
        customdata=[f"{name}: {counts[each]:,}" for each in at],
    )


def _ticks(hours: list[Instant], zone: tzinfo) -> dict[str, Any]:
    """Some of the hours, as the clocks of the zone show them."""
    if not hours:
        return {"visible": False}
    step = max(1, -(-((hours[-1] - hours[0]) // HOUR + 1) // _TICKS)) * HOUR
    at = list(range(hours[0], hours[-1] + HOUR, step))
    texts = [local(each, zone)[5:16] for each in at]
    return {"tickvals": at, "ticktext": texts, "range": [hours[0], hours[-1] + HOUR]}


def _as_json(figure: go.Figure) -> dict[str, Any]:
    figure.update_layout(template=None, hovermode="closest")
    figure.update_traces(hoverinfo="none", selector=lambda trace: trace.hoverinfo is None)
    told: dict[str, Any] = figure.to_plotly_json()
    return {"data": told["data"], "layout": told["layout"]}
