"""The words of a refusal: what was fed is no input, or cannot be taken."""

from collections.abc import Sequence

from wakeful.core.compile import BITS
from wakeful.errors import InputRefusedError, Problem
from wakeful.model.events import SessionEvent
from wakeful.model.time import MAX_INSTANT, MIN_INSTANT


def no_instant(value: object) -> InputRefusedError:
    """The error of an instant that is none, or lies outside the years that have one."""
    return InputRefusedError(f"{value!r} is no instant; expected whole milliseconds")


def refuse(item: object, problems: Sequence[Problem] = ()) -> InputRefusedError:
    """The error of an input, by its problems or by what it is."""
    name = type(item).__name__
    at = getattr(item, "at", None)
    if problems:
        message = "; ".join(str(problem) for problem in problems)
    elif isinstance(item, SessionEvent) and item.kind not in tuple(BITS):
        message = f"{item.kind!r} is no event kind; there are {', '.join(BITS)}"
    elif type(at) is int and not MIN_INSTANT <= at <= MAX_INSTANT:
        message = f"the instant of {name} is {at}, outside the years 1 to 9999"
    elif isinstance(item, SessionEvent) and type(at) is int:
        message = f"{name} needs a text as session, and Facts: {item.session!r}, {item.facts!r}"
    elif isinstance(at, int) and not isinstance(at, bool):
        message = f"{name} is no input of an engine"
    else:
        message = f"the instant of {name} is {at!r}; expected whole milliseconds"
    return InputRefusedError(message, problems)
