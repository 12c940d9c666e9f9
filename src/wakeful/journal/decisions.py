"""Decisions by their ids: kept until they are acknowledged.

A decision's id is its automation and its order key. Recovery makes the same decisions with
the same ids, so a host that remembers the ids it acted upon acts upon each once.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs

from wakeful.core.plain import restore_key, save_key
from wakeful.model.outputs import Decision, DecisionKind, Output, Reason

_FIELDS = frozenset(field.name for field in attrs.fields(Decision))


def decision_id(decision: Decision) -> str:
    """The id of a decision: its automation and its place among all outputs.

    It is the same for the same decision after every restart, and no two decisions share one.

    >>> from wakeful import Engine, Press
    >>> (answer,) = Engine().feed(Press(automation="ahp-automation:/a", request_id="p", at=5))
    >>> decision_id(answer).rpartition('.')[0].rpartition('.')[0]
    'ahp-automation:/a@5.1.0.1'
    """
    at, fed, rank, sequence, order = decision.key
    return f"{decision.automation}@{'.'.join(map(str, (at, fed, rank, sequence, *order)))}"


class Outstanding:
    """The decisions that were given and not acknowledged, oldest first.

    Args:
        kept: How many are kept at most; beyond it the oldest goes, and is counted.

    Attributes:
        forgotten: How many went at the bound.
    """

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._waiting: dict[str, Decision] = {}
        self.forgotten = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, id_: str) -> bool:
        return id_ in self._waiting

    def __iter__(self) -> Iterator[Decision]:
        return iter(self._waiting.values())

    def give(self, outputs: Iterable[Output]) -> None:
        """Keep the decisions among outputs until they are acknowledged."""
        for output in outputs:
            if isinstance(output, Decision):
                self._waiting[decision_id(output)] = output
        while len(self._waiting) > self._kept:
            del self._waiting[next(iter(self._waiting))]
            self.forgotten += 1

    def take_back(self, ids: Iterable[str]) -> None:
        """Forget what was acknowledged; an id that is not waited for is none."""
        for id_ in ids:
            self._waiting.pop(id_, None)

    def state(self) -> list[dict[str, Any]]:
        """All of them as plain data."""
        return [
            {
                **attrs.asdict(decision, recurse=False, filter=_is_there),
                "key": save_key(decision.key),
            }
            for decision in self._waiting.values()
        ]

    def restore(self, saved: Iterable[Mapping[str, Any]]) -> None:
        """Take over what :meth:`state` told.

        Raises:
            KeyError, TypeError, ValueError: It is no such data.
        """
        for one in saved:
            if not _FIELDS.issuperset(one):
                raise ValueError(f"no decision has {sorted(set(one) - _FIELDS)}")
            members: dict[str, Any] = {
                **one,
                "key": restore_key(one["key"]),
                "kind": DecisionKind(one["kind"]),
                "reason": None if one.get("reason") is None else Reason(one["reason"]),
            }
            decision = Decision(**members)
            self._waiting[decision_id(decision)] = decision


def _is_there(_field: "attrs.Attribute[Any]", value: Any) -> bool:
    return value is not None
