"""Matchers: a plugin's own word on whether an event concerns a trigger.

A type may come with a function of a trigger's config and an event's data. It is handed
frozen copies, and it cannot do harm by failing: what it raises is part of the
:class:`Answer`, counts as no match, and every other trigger is asked all the same.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Protocol

import attrs

from wakeful.errors import Problem, show_value


class Matcher(Protocol):
    """Says whether an event with this data concerns a trigger with this config.

    Maps are read-only and lists are tuples, at every level; defaults of the type's config
    schema are filled in. It must answer ``True`` or ``False``, from its arguments alone:
    an engine that replays a log asks again and must hear the same.
    """

    def __call__(self, config: Mapping[str, Any], data: Mapping[str, Any], /) -> bool:
        """The answer."""
        ...


class Verdict(StrEnum):
    """What a plugin trigger says to an event of its type."""

    WAKES = "wakes"
    NO_MATCH = "noMatch"
    CONNECTOR = "connector"
    FAULT = "fault"


@attrs.frozen(kw_only=True)
class Answer:
    """What a plugin trigger said to an event, and why.

    Attributes:
        verdict: ``wakes``; ``noMatch``, the matcher said no; ``connector``, the config
            names a connector that its owner may not use now; ``fault``, the matcher
            raised or answered neither ``True`` nor ``False``.
        problems: In words, for ``connector`` and ``fault``: what a host reports.
        error: What was raised, with its traceback, for the host's log.
    """

    verdict: Verdict
    problems: tuple[Problem, ...] = ()
    error: Exception | None = attrs.field(default=None, eq=False, repr=False)

    @property
    def wakes(self) -> bool:
        """Whether the event goes on to the gate."""
        return self.verdict is Verdict.WAKES


WAKES = Answer(verdict=Verdict.WAKES)
NO_MATCH = Answer(verdict=Verdict.NO_MATCH)


def ask(
    matcher: Matcher, config: Mapping[str, Any], data: Mapping[str, Any], *, type_: str
) -> Answer:
    """Ask a matcher, with a config and data that are frozen already. Never raises."""
    try:
        said: object = matcher(config, data)
    except Exception as error:  # noqa: BLE001 - whatever a plugin raises stops nobody else
        return fault(f"the matcher of {type_} raised {_told(error)}", error)
    if said is True:
        return WAKES
    if said is False:
        return NO_MATCH
    # A matcher that forgot its return would otherwise sleep for ever without a word.
    return fault(f"the matcher of {type_} answered {_shown(said)}, not True or False")


def fault(message: str, error: Exception | None = None) -> Answer:
    """The answer of a trigger that could not be asked."""
    return Answer(
        verdict=Verdict.FAULT,
        problems=(Problem(path="", expected="True or False", message=message),),
        error=error,
    )


def _told(error: Exception) -> str:
    name = type(error).__name__
    try:
        words = str(error)
    except Exception:  # noqa: BLE001 - an exception of a plugin's may fail at this too
        words = ""
    return f"{name}: {words}" if words else name


def _shown(value: object) -> str:
    try:
        return show_value(value)
    except Exception:  # noqa: BLE001 - the repr of a plugin's object is the plugin's code
        return f"an object of {type(value).__name__}"
