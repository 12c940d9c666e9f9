"""Instants and names, as a picture shows them."""

from datetime import tzinfo

from wakeful.explain.steps import RuleName
from wakeful.model.automations import SCHEME
from wakeful.model.time import Instant, format_instant, to_datetime


def local(instant: Instant, zone: tzinfo) -> str:
    """An instant as the clocks of a zone show it, to the millisecond."""
    try:
        moment = to_datetime(instant, zone)
    except OverflowError:  # the last hours of the year 9999, or the first of the year 1
        return format_instant(instant)
    return f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1_000:03d}"


def short(automation: str) -> str:
    """An automation by its id: its resource without the scheme."""
    return automation.removeprefix(f"{SCHEME}/")


def rule_words(rule: RuleName) -> str:
    """A rule by its automation's id, its trigger and its preset."""
    preset = "" if rule.preset is None else f"/{rule.preset}"
    return f"{short(rule.automation)} · {rule.trigger}{preset}"
