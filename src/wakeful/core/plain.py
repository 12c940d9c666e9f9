"""Reading saved state: what is not of the expected kind is a ``TypeError``, never a surprise."""

from typing import Any, Final

from wakeful.model.outputs import OrderKey

_MOST: Final = 1 << 62
"""Beyond every instant and count: what an engine itself writes where it means "the last"."""


_NUMBERS: Final = 1 << 128


def whole(value: Any) -> int:
    """A whole number, which ``True`` is not, of a size that an engine counts with."""
    if type(value) is not int:
        raise TypeError(f"{value!r} is no whole number")
    if not -_MOST <= value <= _MOST:
        raise ValueError("a number beyond every instant")
    return value


def number(value: Any) -> int:
    """The number of an input. Whoever makes it of a place in many logs needs 128 bits."""
    if type(value) is not int:
        raise TypeError(f"{value!r} is no whole number")
    if not 0 <= value < _NUMBERS:
        raise ValueError("no number of an input")
    return value


def text(value: Any) -> str:
    """A text."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def flag(value: Any) -> bool:
    """A truth value."""
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is no truth value")
    return value


def optional_text(value: Any) -> str | None:
    """A text or nothing."""
    return None if value is None else text(value)


def optional_whole(value: Any) -> int | None:
    """A whole number or nothing."""
    return None if value is None else whole(value)


def save_key(key: OrderKey) -> list[Any]:
    """An order key as plain data."""
    return [key.at, key.fed, key.rank, key.sequence, list(key.order)]


def restore_key(saved: Any) -> OrderKey:
    """The order key that :func:`save_key` wrote."""
    at, fed, rank, sequence, order = saved
    return OrderKey(
        whole(at), whole(fed), whole(rank), number(sequence), tuple(number(one) for one in order)
    )
