"""Where a value stands in plain data, as text: ``triggers[0].config.count.n``.

Keys that are words stand bare behind a dot, indices in brackets, every other key quoted
in brackets, so that a path can be taken apart again and no two places share one.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from wakeful.errors import Problem

_WORD: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*", re.ASCII)
_STEP: Final = re.compile(
    r"\.?([A-Za-z_$][A-Za-z0-9_$-]*)|\[(\d+)\]|\[(\"(?:[^\"\\]|\\.)*\")\]", re.ASCII
)


def child(path: str, key: object) -> str:
    """The path of what stands under ``key`` (a key or an index) of what stands at ``path``.

    >>> child(child("", "triggers"), 0), child("config", "a.b")
    ('triggers[0]', 'config["a.b"]')
    """
    if isinstance(key, int) and not isinstance(key, bool):
        return f"{path}[{key}]"
    name = str(key)
    if _WORD.fullmatch(name):
        return f"{path}.{name}" if path else name
    return f"{path}[{json.dumps(name)}]"


def join(path: str, rest: str) -> str:
    """The path ``rest``, which starts at ``path``, from the start.

    >>> join("a", "b[0]"), join("a", "[0]"), join("", "b"), join("a", "")
    ('a.b[0]', 'a[0]', 'b', 'a')
    """
    if not path or not rest or rest.startswith("["):
        return path + rest
    return f"{path}.{rest}"


def split(path: str) -> tuple[str | int, ...]:
    """The keys and indices that a path is made of.

    >>> split('automations[2].config["a.b"]')
    ('automations', 2, 'config', 'a.b')
    """
    return tuple(
        int(index) if index else json.loads(quoted) if quoted else word
        for word, index, quoted in _STEP.findall(path)
    )


def parents(path: str) -> Iterable[str]:
    """The path itself, then that of each value around it, out to the whole: ``""``."""
    steps = split(path)
    for length in range(len(steps), -1, -1):
        found = ""
        for step in steps[:length]:
            found = child(found, step)
        yield found


def in_order(problems: Iterable[Problem], data: Any) -> list[Problem]:
    """The problems in the order in which ``data`` was written; what is missing comes last."""
    return sorted(problems, key=lambda problem: _position(problem.path, data))


def _position(path: str, data: Any) -> tuple[int, ...]:
    found: list[int] = []
    for step in split(path):
        if isinstance(data, Mapping):
            if step not in data:
                return (*found, len(data))
            found.append(list(data).index(step))
            data = data[step]
        elif isinstance(data, list | tuple) and isinstance(step, int) and step < len(data):
            found.append(step)
            data = data[step]
        else:
            break
    return tuple(found)
