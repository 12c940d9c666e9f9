"""Findings about single rules that do nothing for what is written, or too much."""

from collections.abc import Iterator

from wakeful.checking.findings import Finding, finding
from wakeful.checking.host import AFTER_TURN, IN_TURN
from wakeful.checking.watched import Checked, Watched
from wakeful.model.events import ENDINGS, TOOL_KINDS
from wakeful.model.rules import AbsentFor, EventWithin, Filter, IdleFor, SessionRule, When

_EVERY_TURN = frozenset({"turnCompleted", "idle", "toolCalled"})
"""What happens in every turn, or nearly."""


def without_effect(watched: Watched) -> Iterator[Finding]:
    """What of one rule does nothing."""
    yield from _count(watched)
    yield from _when(watched)
    yield from _then(watched)
    yield from _folders(watched)


def _count(watched: Watched) -> Iterator[Finding]:
    rule = watched.rule
    count = rule.count
    if count is None:
        return
    if count.same_input and not rule.events & TOOL_KINDS:
        yield finding(
            "effect-same-input",
            watched.at("count.sameInput"),
            "none of the events has a tool, and events without one are all the same: "
            "sameInput changes nothing",
            "leave sameInput out, or select toolCalled or toolFailed",
            True,
        )
    if count.n == 1:
        for key, given in (
            ("within", count.within is not None),
            ("consecutive", count.consecutive),
            ("sameInput", count.same_input and bool(rule.events & TOOL_KINDS)),
        ):
            if given:
                yield finding(
                    "effect-single",
                    watched.at(f"count.{key}"),
                    f"one event satisfies the count, so {key} changes nothing",
                    f"an n above 1, or no {key}",
                )


def _when(watched: Watched) -> Iterator[Finding]:
    when = watched.rule.when
    if when is None:
        return
    for key, least in (
        ("queuedAtLeast", when.queued_at_least),
        ("toolCallsAtLeast", when.tool_calls_at_least),
    ):
        if least == 0:
            yield finding(
                "effect-always-holds",
                watched.at(f"when.{key}"),
                f"at least 0 always holds: {key} changes nothing",
                f"a number above 0, or no {key}",
                0,
            )


def _then(watched: Watched) -> Iterator[Finding]:
    then = watched.rule.then
    if isinstance(then, AbsentFor | IdleFor) and not then.for_:
        yield finding(
            "effect-zero-wait",
            watched.at("then.for"),
            "a wait of 0s is over before anything can break it: the rule matches as without it",
            "a length above 0s, or no then",
            "0s",
        )


def _folders(watched: Watched) -> Iterator[Finding]:
    where = watched.rule.filter
    for folder in sorted(where.folders or ()) if where is not None else ():
        wrong = (
            "it has no scheme"
            if ":/" not in folder
            else "it ends with a slash"
            if folder.endswith("/") and not folder.endswith(":///")
            else None
        )
        if wrong:
            yield finding(
                "effect-folder",
                watched.at("filter.folders"),
                f"{folder!r} is compared as text with the folders of sessions, which hosts write "
                f"as file:///work/api: {wrong}",
                "the URI of the folder, without a slash at the end",
                folder,
            )


def same_rules(checked: Checked) -> Iterator[Finding]:
    """Triggers of one automation that mean the same: each match is counted again by the next."""
    seen: dict[SessionRule, str] = {}
    for watched in checked.rules():
        name = (
            watched.trigger.id
            if watched.preset is None
            else f"{watched.trigger.id}/{watched.preset}"
        )
        if watched.rule in seen:
            yield finding(
                "effect-same-rule",
                watched.path,
                f"{name} means the same rule as {seen[watched.rule]}: every match comes twice",
                "leave one of them out",
            )
        seen.setdefault(watched.rule, name)


def every_turn(watched: Watched) -> Iterator[Finding]:
    """A rule that matches every turn of every session, and so meets the cap (semantics 9.6)."""
    rule = watched.rule
    kinds = {kind for kind in rule.events & _EVERY_TURN if _holds_always(rule.when, kind)}
    if (
        not kinds
        or _narrows(rule.filter)
        or (rule.count is not None and rule.count.n > 1)
        or not _follows_always(rule)
    ):
        return
    yield finding(
        "effect-every-turn",
        watched.events,
        "it matches in every turn of every session: with more than twenty turns an hour the rest "
        "is dropped (rateLimited)",
        "narrow it: a filter, a count, a condition, or an event that is not in every turn",
        sorted(kinds),
    )


def _narrows(where: Filter | None) -> bool:
    """Whether a filter leaves few sessions; who made them is no small part of them."""
    return where is not None and any(
        listed is not None
        for listed in (where.sessions, where.providers, where.owners, where.projects, where.folders)
    )


def _holds_always(when: When | None, kind: str) -> bool:
    if when is None:
        return True
    running = when.running is None or (kind in IN_TURN if when.running else kind in AFTER_TURN)
    calls = kind == "toolCalled" and when.tool_calls_at_least == 1
    return (
        running
        and (calls or not when.tool_calls_at_least)
        and not when.queued_at_least
        and when.turn_longer_than is None
    )


def _follows_always(rule: SessionRule) -> bool:
    """Whether what follows does so every time: nothing, or the idle after an ending."""
    then = rule.then
    if isinstance(then, EventWithin):
        return then.event == "idle" and bool(rule.events & ENDINGS)
    return then is None or not then.for_
