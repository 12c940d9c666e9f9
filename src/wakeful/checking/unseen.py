"""Findings about logs: what a rule asks for and these do not name, or cannot show.

Quiet is a thing apart: a log that does not show words streaming, or a wait for somebody's
approval, makes a busy or a waiting agent look idle, and a rule about quiet wakes for nothing.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from wakeful.checking.census import Census
from wakeful.checking.findings import Finding, finding
from wakeful.checking.host import AFTER_TURN
from wakeful.checking.never import LISTS
from wakeful.checking.watched import Checked, Watched
from wakeful.model.events import EVENT_KINDS, Facts
from wakeful.model.rules import AbsentFor, EventWithin, Filter, IdleFor
from wakeful.model.triggers import PluginTrigger
from wakeful.reading.paths import child
from wakeful.reading.problems import nearest

_QUIET: Final = ("heartbeat", "approval")


def unseen(watched: Watched, census: Census) -> Iterator[Finding]:
    """What of one rule these logs do not name, or cannot show."""
    where = watched.rule.filter
    if where is not None:
        names = list(_names(watched, where, census))
        yield from names
        if not names:
            yield from _together(watched, where, census)
    for format_, hidden in census.cannot_show.items():
        yield from _kinds(watched, format_, hidden)
        yield from _queue(watched, format_, hidden)
        yield from _quiet(watched, format_, hidden)
        yield from _instants(watched, format_, hidden)


def unseen_plugin_events(checked: Checked, census: Census) -> Iterator[Finding]:
    """Events of plugins that these logs do not have."""
    for path, trigger in checked.triggers():
        if not isinstance(trigger, PluginTrigger):
            continue
        for index, event in enumerate(trigger.events):
            if (trigger.type, event) not in census.plugin_events:
                yield finding(
                    "unseen-plugin-event",
                    child(child(child(path, "events"), index), "id"),
                    f"no log has an event {event!r} of the type {trigger.type!r}",
                    "an event that the plugin fires; or a log of a host that has the plugin",
                    event,
                )


def _names(watched: Watched, where: Filter, census: Census) -> Iterator[Finding]:
    for key in LISTS:
        named = census.named(key)
        word = key.removesuffix("s")
        for value in sorted(getattr(where, key) or ()):
            if value in named:
                continue
            meant = nearest(value, named)
            hint = f"; did you mean {meant!r}?" if meant else ""
            none = "" if named else f"; they name no {word} at all"
            yield finding(
                f"unseen-{word}",
                watched.at(f"filter.{key}"),
                f"no log names the {word} {value!r}{hint or none}",
                f"a {word} that the logs name, or logs that name this one",
                value,
            )


def _together(watched: Watched, where: Filter, census: Census) -> Iterator[Finding]:
    """Each key has its session, and no session has them all."""
    passing = any(
        _passes(where, session, facts)
        for session, known in census.sessions.items()
        for facts in known
    )
    if not passing and not any(
        listed is not None and not listed for listed in (getattr(where, key) for key in LISTS)
    ):
        yield finding(
            "unseen-together",
            watched.at("filter"),
            "no session in the logs has all that the filter asks for at once",
            "keys that exclude each other less, or logs with such a session",
        )


def _passes(where: Filter, session: str, facts: Facts) -> bool:
    return all(
        (
            where.sessions is None or session in where.sessions,
            where.providers is None or facts.provider in where.providers,
            where.owners is None or facts.owner in where.owners,
            where.projects is None or facts.project in where.projects,
            where.folders is None or not where.folders.isdisjoint(facts.folders),
            where.automated is None or facts.automated == where.automated,
        )
    )


def _kinds(watched: Watched, format_: str, hidden: Mapping[str, str]) -> Iterator[Finding]:
    rule = watched.rule
    missing = [kind for kind in EVENT_KINDS if kind in rule.events and kind in hidden]
    # A timed rule selects endings and waits for none: what it needs is that turns start.
    needed = ["turnStarted"] if rule.silence is not None else missing
    for kind in needed:
        if kind in hidden:
            yield finding(
                "unseen-kind",
                watched.events,
                f"logs of {format_} show no {kind}: {hidden[kind]}",
                "logs that show it, or another event",
                kind,
            )
    then = rule.then
    if isinstance(then, EventWithin | AbsentFor) and then.event in hidden:
        effect = "never follows" if isinstance(then, EventWithin) else "is always absent"
        yield finding(
            "unseen-kind",
            watched.at("then.event"),
            f"logs of {format_} show no {then.event}, so it {effect}: {hidden[then.event]}",
            "logs that show it, or another event",
            then.event,
        )


def _queue(watched: Watched, format_: str, hidden: Mapping[str, str]) -> Iterator[Finding]:
    rule = watched.rule
    asks = rule.when is not None and bool(rule.when.queued_at_least)
    if "queue" in hidden and (asks or "messageQueued" in rule.events):
        yield finding(
            "unseen-queue",
            watched.at("when.queuedAtLeast") if asks else watched.events,
            f"logs of {format_} do not show what is queued: {hidden['queue']}",
            "logs that show it, or no condition on it",
        )


def _quiet(watched: Watched, format_: str, hidden: Mapping[str, str]) -> Iterator[Finding]:
    rule = watched.rule
    # After an ending no tool runs and nothing is asked: what breaks that quiet, a turn shows.
    waits_in_turn = isinstance(rule.then, IdleFor) and not rule.events <= AFTER_TURN
    if rule.silence is None and not waits_in_turn:
        return
    reasons = [hidden[what] for what in _QUIET if what in hidden]
    if reasons:
        yield finding(
            "unseen-quiet",
            watched.at("when.turnLongerThan" if rule.silence is not None else "then"),
            f"logs of {format_} make busy and waiting agents look quiet, so it wakes for nothing: "
            + "; ".join(reasons),
            "a length that covers such work, or logs that show it",
        )


def _instants(watched: Watched, format_: str, hidden: Mapping[str, str]) -> Iterator[Finding]:
    rule = watched.rule
    for part, timed in (
        ("count.within", rule.count is not None and rule.count.within is not None),
        ("then", rule.then is not None),
        ("when.turnLongerThan", rule.when is not None and rule.when.turn_longer_than is not None),
    ):
        if timed and "instants" in hidden:
            yield finding(
                "unseen-instants",
                watched.at(part),
                f"lengths of time mean nothing in logs of {format_}: {hidden['instants']}",
                "logs with instants, or a rule that measures no time",
            )
