"""What pytest-benchmark saved, as the report asks for it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Results:
    """A saved run."""

    def __init__(self, path: Path) -> None:
        data = json.loads(path.read_text(encoding="utf-8"))
        self.machine: dict[str, Any] = data["machine_info"]
        self.commit: dict[str, Any] = data["commit_info"]
        self.at: str = data["datetime"]
        self._benchmarks: list[dict[str, Any]] = data["benchmarks"]

    def yardsticks(self) -> Iterator[dict[str, Any]]:
        """Every figure that was asked for, in the order in which they were measured."""
        for each in self._benchmarks:
            yield from each["extra_info"].get("yardsticks", ())

    def figures(self, *keys: str, **equal: Any) -> list[dict[str, Any]]:
        """What each benchmark told that has all of these keys, and these values."""
        return [
            told
            for each in self._benchmarks
            if all(key in (told := {"group": each["group"], **each["extra_info"]}) for key in keys)
            and all(told.get(key) == value for key, value in equal.items())
        ]

    def axis(self, name: str, value: str, **equal: Any) -> list[tuple[int, float]]:
        """A figure along an axis of growth."""
        return sorted(
            (told["number"], told[value])
            for told in self.figures("number", value, axis=name, **equal)
        )
