"""VS Code's ``*.automation.md``: a name, one schedule, and the prompt as the body.

VS Code refuses a file with any key that it does not know, and so does this reader, in VS Code's
own words: a code, and what it is about. Only the cron expressions are more: those of the whole
grammar are read, where VS Code's editor reads those of a day or a week.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, Final

import attrs

from wakeful.cron import CronExpression
from wakeful.errors import InvalidError, Problem
from wakeful.model.limits import LIMITS, Limits
from wakeful.reading.bounded import refuse_beyond
from wakeful.reading.front_matter import FENCE, FrontMatter, split_front_matter
from wakeful.reading.kinds import is_list, is_map, is_whole
from wakeful.reading.paths import child
from wakeful.reading.problems import KeyProblem
from wakeful.reading.yaml_text import read_yaml, yaml_places

AUTOMATION_SUFFIX: Final = ".automation.md"
"""How the names of files end that an automation is moved in."""

HOURLY: Final = "0 * * * *"
"""What ``kind: hourly`` runs on where it is imported."""

_VERSION: Final = 1
_LOCAL: Final = "local"
_LONGEST_ID: Final = 64
_FALLBACK: Final = "automation"
_KEYS: Final = ("version", "id", "name", "description", "schedule")
_SCHEDULE_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "manual": ("kind",),
    "hourly": ("kind",),
    "cron": ("kind", "expression", "timeZone"),
}
_ID: Final = re.compile(r"(?!.*(--|\.\.))[a-z0-9]([a-z0-9.-]{0,62}[a-z0-9])?", re.ASCII)
_NOT_IN_YAML: Final = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_EVERY_HOUR: Final = re.compile(r"[0-9]{1,2} \* \* \* \*", re.ASCII)
_BLANK: Final = " \t\n\r\v\f\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)


@attrs.frozen(kw_only=True)
class Blueprint:
    """What such a file says.

    Attributes:
        expression: When it runs; ``None`` where only by hand.
    """

    name: str
    prompt: str
    expression: str | None


def slug(title: str) -> str:
    """The id that VS Code makes of a title.

    >>> slug("Résumé Review"), slug("Review yesterday's commits"), slug("…")
    ('resume-review', 'review-yesterday-s-commits', 'automation')
    """
    text = unicodedata.normalize("NFKD", title)
    text = re.sub(r"[\u0300-\u036f]", "", text).lower()
    text = re.sub(r"[^a-z0-9.-]+", "-", text)
    while (shorter := re.sub(r"--+|\.\.+", "-", text)) != text:
        text = shorter
    return text.strip("-.")[:_LONGEST_ID].rstrip("-.") or _FALLBACK


def exported_name(title: str) -> str:
    """The name of the file that an automation of this title is exported to."""
    return slug(title) + AUTOMATION_SUFFIX


def is_blueprint(text: str) -> bool:
    """Whether a text is a file of VS Code's and not this library's own."""
    try:
        keys = read_yaml(split_front_matter(text).yaml)
    except InvalidError:
        return False
    return is_map(keys) and "title" not in keys and "name" in keys and "version" in keys


def write_blueprint(blueprint: Blueprint) -> str:
    """The file, as VS Code writes it."""
    expression = blueprint.expression
    if expression is None:
        schedule = ["  kind: manual"]
    elif _EVERY_HOUR.fullmatch(expression):
        schedule = ["  kind: hourly"]
    else:
        schedule = [
            "  kind: cron",
            f"  expression: {_quoted(expression)}",
            f"  timeZone: {_LOCAL}",
        ]
    lines = [
        FENCE,
        f"version: {_VERSION}",
        f"id: {_quoted(slug(blueprint.name))}",
        f"name: {_quoted(blueprint.name.strip(_BLANK))}",
        "schedule:",
        *schedule,
        FENCE,
        "",
        blueprint.prompt.strip(_BLANK),
        "",
    ]
    return "\n".join(lines)


def read_blueprint(text: str, *, limits: Limits = LIMITS) -> Blueprint:
    """Read a file that VS Code wrote.

    Args:
        text: The whole of it.
        limits: How large it may be.

    Raises:
        InvalidError: VS Code would refuse it, in its words, with line and column; what VS
            Code would say comes first.
    """
    refuse_beyond(text, limits)
    try:
        parts = split_front_matter(text)
        lines_before = "\n" * text.count("\n", 0, parts.start)
        keys = read_yaml(lines_before + parts.yaml)
    except InvalidError as error:
        raise InvalidError(
            attrs.evolve(problem, message="invalidFrontmatter", expected=problem.sentence)
            for problem in error.problems[:1]
        ) from None
    if not is_map(keys):
        raise InvalidError([_problem("", "invalidFrontmatter", expected="a map of keys", line=1)])
    problems = list(_problems(keys, parts))
    if problems:
        places = yaml_places(lines_before + parts.yaml)
        raise InvalidError(places.locate(problems, None))
    schedule = keys["schedule"]
    return Blueprint(
        name=_scalar(keys["name"]),
        prompt=_prompt(parts),
        expression={
            "manual": None,
            "hourly": HOURLY,
            "cron": _scalar(schedule.get("expression")),
        }[schedule["kind"]],
    )


def _prompt(parts: FrontMatter) -> str:
    return parts.body.replace("\r\n", "\n").strip(_BLANK)


def _problems(keys: Mapping[str, Any], parts: FrontMatter) -> Iterator[Problem]:
    """In the order in which VS Code looks, so that its own refusal comes first."""
    for key in keys:
        if key not in _KEYS:
            yield _unknown(key, keys[key], "")
    schedule = keys.get("schedule")
    kind = schedule.get("kind") if is_map(schedule) else None
    known = _SCHEDULE_KEYS.get(kind) if isinstance(kind, str) else None
    if is_map(schedule) and known is not None:
        for key in schedule:
            if key not in known:
                yield _unknown(key, schedule[key], "schedule")
    version = keys.get("version")
    if not is_whole(version) or version != _VERSION:
        yield _problem("version", "unsupportedVersion", _shown(keys, "version"), "1")
    if not _ID.fullmatch(_scalar(keys.get("id"))):
        expected = "1 to 64 lower-case letters, digits, single dots and dashes"
        yield _problem("id", "invalidId", _shown(keys, "id"), expected)
    if not _scalar(keys.get("name")):
        yield _problem("name", "invalidField", "name", "non-empty text")
    if is_map(keys.get("description")) or is_list(keys.get("description")):
        yield _problem("description", "invalidField", "description", "text")
    if not is_map(schedule):
        yield _problem("schedule", "invalidField", "schedule", "a map with a kind")
    elif known is None:
        path = "schedule.kind"
        yield _problem(path, "invalidField", path, "manual, hourly or cron")
    elif kind == "cron":
        yield from _cron_problems(schedule)
    if not _prompt(parts):
        yield _problem("", "missingPrompt", expected="a prompt as the body")


def _cron_problems(schedule: Mapping[str, Any]) -> Iterator[Problem]:
    expression = _scalar(schedule.get("expression"))
    try:
        CronExpression.parse(expression)
    except InvalidError as error:
        yield _problem(
            "schedule.expression",
            "unsupportedSchedule",
            _shown(schedule, "expression"),
            str(error.problems[0]),
        )
    zone = schedule.get("timeZone")
    if zone != _LOCAL:
        shown = _shown(schedule, "timeZone")
        yield _problem("schedule.timeZone", "unsupportedTimeZone", shown, _LOCAL)


def _unknown(key: str, value: Any, path: str) -> Problem:
    name = f"{path}.{key}" if path else key
    return KeyProblem(
        path=child(path, key),
        value=value,
        expected="only keys that VS Code knows",
        message=f"unknownProperty: {name}",
    )


def _problem(
    path: str, code: str, about: str = "", expected: str = "", line: int | None = None
) -> Problem:
    message = f"{code}: {about}" if about else code
    return Problem(path=path, value=about, expected=expected, message=message, line=line)


def _shown(keys: Mapping[str, Any], key: str) -> str:
    """A value as VS Code names it in a refusal; nothing where it is missing."""
    value = keys.get(key)
    return _scalar(value) or ("" if value is None else json.dumps(value, ensure_ascii=False))


def _scalar(value: Any) -> str:
    """A scalar as text, trimmed; nothing of what is none."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value).strip(_BLANK) if isinstance(value, str | int | float) else ""


def _quoted(text: str) -> str:
    """Text in JSON's quotes, with escapes also for what YAML does not take as it is."""
    return _NOT_IN_YAML.sub(
        lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False)
    )
