"""Rulesets: automations and plugin types from files, folders and the package itself."""

import errno
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import attrs

from wakeful.errors import InvalidError, Problem
from wakeful.model.automations import Automation
from wakeful.model.limits import LIMITS, Limits
from wakeful.model.triggers import TriggerType
from wakeful.reading.bounded import read_bounded
from wakeful.reading.definitions import (
    read_automation,
    read_declared_type,
    read_kept_automation,
    read_ruleset_shape,
    resource_of,
)
from wakeful.reading.file_names import FILE_SUFFIX, resource_of_file
from wakeful.reading.json_text import json_places, read_json
from wakeful.reading.kinds import is_list, is_map
from wakeful.reading.markdown import markdown_places, read_markdown
from wakeful.reading.paths import child, in_order
from wakeful.reading.places import Places
from wakeful.reading.problems import below, listing, nearest
from wakeful.reading.shipped import shipped_rules_folder
from wakeful.reading.yaml_text import read_yaml, yaml_places

SHIPPED: Final = "@"
"""What the name of rules that come with the package begins with; alone it is all of them."""

TEST_SUFFIX: Final = ".test.yaml"
"""The ending of rule tests, which lie beside rules and are none."""


class DeclaredType(NamedTuple):
    """A plugin's type that a ruleset declares.

    Attributes:
        definition: The type.
        by: The plugin that may fire it; ``None`` is anyone.
    """

    definition: TriggerType
    by: str | None


class Source(NamedTuple):
    """Where an automation was read: the file, and the path of it in the file's data."""

    file: str
    path: str


@attrs.frozen(kw_only=True)
class Ruleset:
    """What rulesets say together.

    Attributes:
        automations: In the order of the files, and inside each in its order.
        types: The plugin types that are declared.
        sources: Where each of the automations was read, in their order.
    """

    automations: tuple[Automation, ...] = ()
    types: tuple[DeclaredType, ...] = ()
    sources: tuple[Source, ...] = ()


class Format(NamedTuple):
    """How files of a suffix are read: to data, and to the places of that data.

    Attributes:
        is_one: Whether a file is one automation that is named by the file, not a list of them.
    """

    read: Callable[[str], Any]
    places: Callable[[str], Places]
    is_one: bool = False


_YAML: Final = Format(read_yaml, yaml_places)
FORMATS: Final[Mapping[str, Format]] = {
    ".yaml": _YAML,
    ".yml": _YAML,
    ".json": Format(read_json, json_places),
    FILE_SUFFIX: Format(read_markdown, markdown_places, is_one=True),
}
"""The suffixes of ruleset files. A reader for another suffix is one more line."""


def load_rules(paths: str | Path | Iterable[str | Path], *, limits: Limits = LIMITS) -> Ruleset:
    """Read rulesets: files, folders, and ``@id`` or ``@`` for those that come with the package.

    A name that is given alone is that one ruleset.

    A folder is its ruleset files by name, not below it, rule tests left out. Everything
    that is wrong anywhere is told at once.

    Raises:
        InvalidError: Something cannot be read or is refused: every problem, with file,
            line and column.
    """
    ruleset, problems = survey_rules(paths, limits=limits)
    if problems:
        raise InvalidError(problems)
    return ruleset


def survey_rules(
    paths: str | Path | Iterable[str | Path], *, limits: Limits = LIMITS
) -> tuple[Ruleset, tuple[Problem, ...]]:
    """Read rulesets as :func:`load_rules` does: what can be read of them, and what is refused."""
    loading = _Loading(limits)
    for path in [paths] if isinstance(paths, str | Path) else paths:
        loading.take(path)
    return loading.found(), tuple(loading.problems)


def ruleset_places(file: str | Path) -> Places:
    """Where the values of a ruleset file stand; it was read before.

    Raises:
        OSError: The file cannot be read any more: it is gone, or is a pipe, which gives what it
            holds once.
        InvalidError: It was changed, to something that is no data.
    """
    path = Path(file)
    if not path.is_file():
        raise OSError(errno.ESPIPE, os.strerror(errno.ESPIPE), str(path))
    form = FORMATS.get(path.suffix.lower(), _YAML)
    return form.places(path.read_bytes().decode("utf-8-sig"))


@attrs.define
class _Loading:
    """What was found so far, right and wrong."""

    limits: Limits
    automations: list[Automation] = attrs.field(factory=list)
    sources: list[Source] = attrs.field(factory=list)
    types: list[DeclaredType] = attrs.field(factory=list)
    problems: list[Problem] = attrs.field(factory=list)
    # Where each resource and type name was seen first.
    seen: dict[tuple[str, str], Source] = attrs.field(factory=dict)
    # What finds the places in each file; only what is wrong asks for them.
    places: dict[str, Callable[[], Places]] = attrs.field(factory=dict)

    def take(self, path: str | Path) -> None:
        name = str(path)
        if isinstance(path, str) and path.startswith(SHIPPED):
            self._shipped(path)
            return
        if not name:
            self._whole(name, "the name of a file or a folder", "an empty name is no ruleset")
            return
        folder = Path(path)
        try:
            files = _ruleset_files(folder) if folder.is_dir() else [folder]
        except OSError as error:
            self._whole(name, "a folder that can be read", _why(error))
            return
        if not files:
            endings = listing(FORMATS)
            self._whole(name, f"a folder with {endings} files", f"no {endings} file in it")
        for file in files:
            self._file(file)

    def found(self) -> Ruleset:
        return Ruleset(
            automations=tuple(self.automations),
            types=tuple(self.types),
            sources=tuple(self.sources),
        )

    def _shipped(self, name: str) -> None:
        files = _ruleset_files(shipped_rules_folder())
        if name == SHIPPED:
            for file in files:
                self._file(file)
            return
        ids: dict[str, Path] = {}
        for file in files:
            for id_ in _ids(file):
                ids[id_] = file
        wanted = name.removeprefix(SHIPPED)
        if wanted in ids:
            self._file(ids[wanted], only=wanted)
            return
        meant = nearest(wanted, ids)
        hint = f"did you mean {SHIPPED}{meant}?" if meant else f"there are {', '.join(ids)}"
        self._whole(
            name, "a rule that comes with the package", f"no such rule comes with it; {hint}"
        )

    def _whole(self, file: str, expected: str, message: str) -> None:
        self.problems.append(Problem(path="", expected=expected, message=message, file=file))

    def _file(self, file: Path, *, only: str | None = None) -> None:
        name = str(file)
        form = FORMATS.get(file.suffix.lower(), None if file.suffix else _YAML)
        if form is None:
            endings = listing(FORMATS)
            self._whole(name, f"a {endings} file", f"no ruleset; expected a {endings} file")
            return
        try:
            with file.open("rb") as opened:
                text = read_bounded(opened, self.limits).decode("utf-8-sig")
        except OSError as error:
            self._whole(name, "a file that can be read", _why(error))
            return
        except UnicodeDecodeError:  # before ValueError, which it is, too
            self._whole(name, "UTF-8 text", "not UTF-8 text; expected a ruleset")
            return
        except InvalidError as error:  # likewise: it is too large
            self.problems.extend(attrs.evolve(problem, file=name) for problem in error.problems)
            return
        except ValueError:  # a NUL in it, or a character that no file system writes
            self._whole(name, "the name of a file", f"{name!r} is no name that a file can have")
            return
        try:
            data = form.read(text)
        except InvalidError as error:
            self.problems.extend(attrs.evolve(problem, file=name) for problem in error.problems)
            return
        self.places[name] = cache(partial(form.places, text))
        problems = list(self._one(data, file) if form.is_one else self._data(data, name, only))
        if problems:
            places = self.places[name]()
            self.problems.extend(places.locate(in_order(problems, data), name))

    def _data(self, data: Any, file: str, only: str | None) -> Iterator[Problem]:
        if data is None:
            expected = "a map (automations, types, _meta)"
            yield Problem(path="", expected=expected, message=f"holds nothing; expected {expected}")
            return
        try:
            read_ruleset_shape(data)
        except InvalidError as error:
            yield from error.problems
        for index, item in enumerate(_list(data, "automations")):
            if only is not None and not (is_map(item) and item.get("id") == only):
                continue
            path = child("automations", index)
            try:
                self._keep(read_automation(item, limits=self.limits), Source(file, path))
            except InvalidError as error:
                yield from below(path, error.problems)
            found = resource_of(item)
            if found is not None:
                resource, key = found
                yield from self._once("automation", resource, item[key], child(path, key), file)
        for index, item in enumerate(_list(data, "types")):
            path = child("types", index)
            try:
                declared = read_declared_type(item, limits=self.limits)
                self.types.append(DeclaredType(declared.definition(), declared.by))
            except InvalidError as error:
                yield from below(path, error.problems)
            if is_map(item) and isinstance(item.get("type"), str):
                yield from self._once("type", item["type"], item["type"], child(path, "type"), file)

    def _one(self, data: Any, file: Path) -> Iterator[Problem]:
        try:
            kept = read_kept_automation(data, limits=self.limits)
        except InvalidError as error:
            yield from error.problems
            kept = None
        try:
            resource = resource_of_file(file.name)
        except InvalidError as error:
            yield from error.problems
            return
        yield from self._once("automation", resource, file.name, "", str(file))
        if kept is not None:
            self._keep(kept.under(resource), Source(str(file), ""))

    def _keep(self, automation: Automation, source: Source) -> None:
        self.automations.append(automation)
        self.sources.append(source)

    def _once(self, noun: str, name: str, written: str, path: str, file: str) -> Iterator[Problem]:
        if (noun, name) in self.seen:
            yield Problem(
                path=path,
                value=written,
                expected=f"a name that no other {noun} has",
                message=f"{written!r} is taken by {self._named(self.seen[noun, name])}",
            )
        self.seen.setdefault((noun, name), Source(file, path))

    def _named(self, source: Source) -> str:
        """Where something stands, in words."""
        if not source.path:
            return source.file
        place = self.places[source.file]().values.get(source.path)
        where = source.file if place is None else f"{source.file}:{place.line}"
        return f"{source.path} of {where}"


def _ruleset_files(folder: Path) -> Sequence[Path]:
    """The ruleset files of a folder, by name."""
    return sorted(
        (
            file
            for file in folder.iterdir()
            if file.suffix.lower() in FORMATS
            and not file.name.endswith(TEST_SUFFIX)
            and file.is_file()
        ),
        key=lambda file: file.name,
    )


def _ids(file: Path) -> Iterator[str]:
    """The ids in one of the package's own files."""
    data = FORMATS[file.suffix].read(file.read_text(encoding="utf-8"))
    for item in _list(data, "automations"):
        if is_map(item) and isinstance(item.get("id"), str):
            yield item["id"]


def _list(data: Any, key: str) -> list[Any]:
    found = data.get(key) if is_map(data) else None
    return list(found) if is_list(found) else []


def _why(error: OSError) -> str:
    return f"cannot be read: {error.strerror or error}"
