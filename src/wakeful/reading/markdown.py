"""An automation's Markdown file to plain data, and where the values stand.

The body is the text of the message. What else a message has stands in the front matter, and
so does a text that no body can hold as it is (:func:`~wakeful.reading.front_matter.fits_body`);
the file's body is empty then.
"""

from collections.abc import Sequence
from typing import Any

from wakeful.errors import InvalidError, Problem
from wakeful.model.limits import LIMITS, Limits
from wakeful.reading.bounded import refuse_beyond
from wakeful.reading.definitions import KeptAutomation, read_kept_automation
from wakeful.reading.front_matter import FrontMatter, split_front_matter, text_of_body
from wakeful.reading.kinds import is_map
from wakeful.reading.paths import in_order
from wakeful.reading.places import Place, Places
from wakeful.reading.yaml_text import read_yaml, yaml_places


def read_markdown(text: str) -> dict[str, Any]:
    """The data of an automation file: its keys, with the body as ``message.text``.

    Raises:
        InvalidError: It has no front matter that can be read, or names the text of its
            message twice; with line and column.
    """
    parts = split_front_matter(text)
    keys = front_matter_keys(parts)
    body = text_of_body(parts.body)
    message = keys.get("message", {})
    if not is_map(message):
        return keys  # what it should be is said by whoever reads the data
    if "text" not in message:
        return {**keys, "message": {**message, "text": body}}
    if body:
        problem = Problem(
            path="message.text",
            value=message["text"],
            expected="the text of the message in the body, or here and no body",
            message="the message has a text here and a body; expected one of the two",
        )
        found = in_order([problem, *_other_problems(keys)], keys)
        raise InvalidError(_places(parts).locate(found, None))
    return keys


def _other_problems(keys: dict[str, Any]) -> Sequence[Problem]:
    try:
        read_kept_automation(keys)
    except InvalidError as error:
        return error.problems
    return ()


def front_matter_keys(parts: FrontMatter) -> dict[str, Any]:
    """The keys of a front matter, as they are written.

    Raises:
        InvalidError: It is no YAML, or no map; with line and column.
    """
    data = read_yaml(_at_its_line(parts))
    if data is None:
        return {}
    if not is_map(data):
        raise InvalidError(
            _places(parts).locate(
                [Problem(path="", value=data, expected="front matter with keys, such as title: …")],
                None,
            )
        )
    return dict(data)


def markdown_places(text: str) -> Places:
    """Where the values of a file stand; it was read by :func:`read_markdown` before."""
    return _places(split_front_matter(text))


def read_automation_file(
    text: str, file: str | None = None, *, limits: Limits = LIMITS
) -> KeptAutomation:
    """Read an automation file.

    Args:
        text: The whole of it.
        file: What it is called in problems.
        limits: How large it may be, and what it defines.

    Raises:
        InvalidError: With every problem, by line and column.
    """
    data: Any = None
    try:
        refuse_beyond(text, limits)
        data = read_markdown(text)
        return read_kept_automation(data, limits=limits)
    except InvalidError as error:
        places = Places() if data is None else markdown_places(text)
        raise InvalidError(places.locate(in_order(error.problems, data), file)) from None


def _places(parts: FrontMatter) -> Places:
    places = yaml_places(_at_its_line(parts))
    places.values[""] = Place(1, 1)
    if "message.text" not in places.values:
        places.values["message.text"] = Place(parts.body_line, 1)
    return places


def _at_its_line(parts: FrontMatter) -> str:
    """The YAML, with as many lines before it as there are in the file."""
    return "\n" * parts.text.count("\n", 0, parts.start) + parts.yaml
