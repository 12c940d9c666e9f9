"""What our own parsers do grows with the size of a text, and no faster.

Steps are counted, not seconds: lines of our own code that are run. What a regular expression does
inside is no step, so their shapes are looked at.
"""

import contextlib
import importlib
import pkgutil
import re
import sys
from pathlib import Path
from re import _constants as codes
from re import _parser as shapes

import pytest

import wakeful
from wakeful import CronExpression, WakefulError, open_logs, parse_duration, parse_instant
from wakeful.errors import visible
from wakeful.journal.records import Kind, frame, scan
from wakeful.logs.formats import format_names
from wakeful.messages import Telling, Template
from wakeful.reading.json_text import json_places, read_json
from wakeful.reading.markdown import read_automation_file
from wakeful.reading.yaml_text import read_yaml, yaml_places
from wakeful.storage.vscode import read_blueprint, slug

ROOT = str(Path(wakeful.__file__).parent)
SMALL, TIMES = 60, 4


# -- regular expressions ----------------------------------------------------------------------


def patterns():
    """Every pattern that a module of ours has, with where it stands."""
    for found in pkgutil.walk_packages(wakeful.__path__, "wakeful."):
        try:
            module = importlib.import_module(found.name)
        except ModuleNotFoundError:
            continue  # an adapter to a library that is not here
        for name, value in vars(module).items():
            for one in value if isinstance(value, tuple | list) else (value,):
                for part in one if isinstance(one, tuple) else (one,):
                    if isinstance(part, re.Pattern):
                        yield f"{module.__name__}.{name}", part


def nests(parsed, *, inside: bool = False) -> bool:
    """Whether something that repeats without bound is repeated without bound."""
    for code, value in parsed:
        if code in {codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT}:
            _least, most, repeated = value
            is_endless = most is codes.MAXREPEAT
            if (inside and is_endless) or nests(repeated, inside=inside or is_endless):
                return True
        elif code is codes.SUBPATTERN:
            if nests(value[-1], inside=inside):
                return True
        elif code is codes.BRANCH:
            if any(nests(branch, inside=inside) for branch in value[1]):
                return True
        elif code in {codes.ASSERT, codes.ASSERT_NOT} and nests(value[1], inside=inside):
            return True
    return False


def is_nested(pattern: re.Pattern) -> bool:
    text = pattern.pattern
    return nests(shapes.parse(text, pattern.flags & ~re.UNICODE if type(text) is bytes else 0))


@pytest.mark.parametrize("text", ["(a+)+", "(a|b*)*c", "(?:x(y+)?)+z", "(?=(a*)*)b"])
def test_a_repetition_in_a_repetition_is_seen(text):
    assert is_nested(re.compile(text))


def test_no_regular_expression_of_ours_repeats_a_repetition():
    found = dict(patterns())
    assert len(found) > 25
    assert [name for name, pattern in found.items() if is_nested(pattern)] == []


# -- steps --------------------------------------------------------------------------------------


def steps(call) -> int:
    """How many lines of ours a call runs, whatever comes of it."""
    count = 0

    def line(_frame, event, _value):
        nonlocal count
        count += event == "line"
        return line

    def enter(frame, _event, _value):
        return line if frame.f_code.co_filename.startswith(ROOT) else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        with contextlib.suppress(WakefulError):
            call()
    finally:
        sys.settrace(before)
    return count


SHAPES = {
    "digits": "9",
    "blanks": " ",
    "lists": "[1, ",
    "maps": '{"a": ',
    "entries": "- a\n",
    "anchors": "&a ",
    "colons": "a: ",
    "same keys": "k: 1\n",
    "placeholders": "{{a}}",
    "open placeholders": "{{event.",
    "commas": "1,",
    "dots and dashes": "..-",
    "escapes": '\\"',
    "lines": "a\n",
    "fences": "---\n",
    "records": '{"at":1,"kind":"idle","session":"s"}\n',
    "broken records": '{"at":1,\n',
    "quotes": '"timestamp" ',
    "controls": "\x1b",
}
BEFORE = {
    "json": ("", '"', "["),
    "yaml": ("", '"', "["),
    "automation file": ("", "---\n"),
    "vscode file": ("", "---\n"),
    "duration": ("", "0."),
    "instant": ("", "2026-10-07T14:22:05."),
}
"""How texts begin, where a parser would turn away at once from one of the shapes alone."""


def read_message(text: str) -> None:
    Template(text).tell(Telling(at=0, trigger=text, session=text, session_title=text))


PARSERS = {
    "json": lambda text: (read_json(text), json_places(text)),
    "yaml": lambda text: (read_yaml(text), yaml_places(text)),
    "automation file": read_automation_file,
    "vscode file": read_blueprint,
    "slug": slug,
    "message": read_message,
    "duration": parse_duration,
    "instant": parse_instant,
    "cron": CronExpression.parse,
    "shown": visible,
    "journal": lambda text: scan(text.encode()),
    "journal after damage": lambda text: scan(b"x" + frame(Kind.ADVANCED, b"1") * len(text)),
}


def grown(call, shape: str, start: str) -> tuple[int, int]:
    return tuple(
        steps(lambda text=start + shape * times: call(text)) for times in (SMALL, SMALL * TIMES)
    )


def grows_too_fast(few: int, many: int) -> bool:
    return many > TIMES * 1.3 * few + 500


def test_what_grows_with_the_square_is_seen():
    def square(text):
        return sum(len(visible("a")) for _ in text for _ in text[: len(text) // 10])

    assert grows_too_fast(*grown(square, "a", ""))


@pytest.mark.parametrize("parser", PARSERS)
def test_steps_grow_with_the_size_of_a_text(parser):
    too_fast = {
        (start, name): found
        for name, shape in SHAPES.items()
        for start in BEFORE.get(parser, ("",))
        if grows_too_fast(*(found := grown(PARSERS[parser], shape, start)))
    }
    assert too_fast == {}


@pytest.mark.parametrize("format_", format_names())
def test_steps_of_reading_a_log_grow_with_its_size(format_, tmp_path):
    path = tmp_path / "log.jsonl"

    def read(text: str) -> None:
        path.write_text(text)
        with open_logs([path], format=format_) as stream:
            for _item in stream:
                pass

    too_fast = {
        name: found
        for name, shape in SHAPES.items()
        if grows_too_fast(*(found := grown(read, shape, "")))
    }
    assert too_fast == {}
