"""How the problems of this room are worded: paths, lists of choices, the nearest name."""

import json
import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Final

from wakeful.errors import show_value

_SHOWN: Final = 12
_CLOSE: Final = 0.5
"""How alike two words have to be (difflib's ratio) for one to be meant for the other."""

_WORD: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*", re.ASCII)


def at(path: str, part: str | int) -> str:
    """The path of a member or an entry below ``path``.

    Written as :mod:`wakeful.reading.paths` reads it: what is no plain word is quoted.

    >>> at("config", "branches"), at("config.branches", 0), at("config", "a.b")
    ('config.branches', 'config.branches[0]', 'config["a.b"]')
    """
    if isinstance(part, int):
        return f"{path}[{part}]"
    if not _WORD.fullmatch(part):
        return f"{path}[{json.dumps(part)}]"
    return f"{path}.{part}" if path else part


def one_of(choices: Iterable[Any]) -> str:
    """The choices in words, the first twelve of them.

    >>> one_of(["main"]), one_of(["main", "dev"]), one_of([])
    ("'main'", "one of 'main', 'dev'", 'nothing: there is no choice')
    """
    shown = [show_value(choice) for choice in choices]
    if not shown:
        return "nothing: there is no choice"
    if len(shown) == 1:
        return shown[0]
    more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return f"one of {', '.join(shown[:_SHOWN])}{more}"


def unknown(word: Any, known: Iterable[str], *, thing: str) -> str:
    """The sentence that names what is not known, with the nearest that is.

    >>> unknown("brnach", ["branch", "tries"], thing="key")
    "unknown key 'brnach'; did you mean 'branch'?"
    >>> unknown("zzz", ["branch", "tries"], thing="key")
    "unknown key 'zzz'; known here: branch, tries"
    """
    folded = {name.casefold(): name for name in known}
    sentence = f"unknown {thing} {show_value(word)}"
    near = get_close_matches(str(word).casefold(), folded, n=1, cutoff=_CLOSE)
    if near:
        return f"{sentence}; did you mean {folded[near[0]]!r}?"
    if not folded:
        return f"{sentence}; none is known here"
    more = ", …" if len(folded) > _SHOWN else ""
    return f"{sentence}; known here: {', '.join(list(folded.values())[:_SHOWN])}{more}"
