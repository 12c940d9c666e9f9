"""Collecting problems: what a converter raises, flattened to records with their paths."""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any, Final

import attrs
from cattrs.errors import IterableValidationError

from wakeful.errors import InvalidError, Problem
from wakeful.reading.paths import child, join

_CLOSE: Final = 0.5
"""How alike two words have to be (difflib's ratio) for one to be meant for the other."""


@attrs.frozen(kw_only=True)
class KeyProblem(Problem):
    """A problem of a key, not of its value: in a file it is shown where the key stands."""


def nearest(word: object, known: Iterable[str]) -> str | None:
    """The known word that was most likely meant, if one is close at all.

    >>> nearest("cuont", ["filter", "count", "then", "when"])
    'count'
    """
    folded = {name.casefold(): name for name in known}
    close = get_close_matches(str(word).casefold(), folded, n=1, cutoff=_CLOSE)
    return folded[close[0]] if close else None


def listing(words: Iterable[str]) -> str:
    """Words as a choice between them: ``a, b or c``."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def unknown_key(key: object, value: Any, known: Iterable[str]) -> Problem:
    """The problem of a key that does not exist, with the one that was probably meant."""
    known = list(known)
    meant = nearest(key, known)
    hint = f"; did you mean {meant!r}?" if meant else f"; known here: {', '.join(known)}"
    return KeyProblem(
        path=child("", key),
        value=value,
        expected=f"one of the keys {', '.join(known)}",
        message=f"unknown key {key!r}{hint}",
    )


def below(path: str, problems: Iterable[Problem]) -> Iterator[Problem]:
    """The problems of a part, as problems of the whole that has the part at ``path``."""
    for problem in problems:
        yield attrs.evolve(problem, path=join(path, problem.path))


def problems_of(error: Exception) -> Iterator[Problem]:
    """The problems that an error of a converter's hook stands for.

    Hooks raise :class:`InvalidError`; cattrs gathers those of a list's items. Anything
    else is a fault of this library and is raised again.
    """
    if isinstance(error, InvalidError):
        yield from error.problems
    elif isinstance(error, IterableValidationError):
        for inner, note in error.group_exceptions()[0]:
            yield from below(child("", note.index), problems_of(inner))
    else:
        raise error
