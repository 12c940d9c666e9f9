"""Every parser, fed what nobody should write: only the documented errors come out.

pytest -m deep tests/fuzz           # as long as WAKEFUL_FUZZ_EXAMPLES says, each parser
"""

import contextlib
import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.feeding import misshapen, plain, texts
from snapshots.test_refusals import RULES, SNAPSHOT
from wakeful import (
    CronExpression,
    Engine,
    InvalidError,
    LogError,
    SnapshotError,
    WakefulError,
    load_rules,
    open_logs,
    parse_duration,
    parse_instant,
    read_automation,
    read_definition,
)
from wakeful.journal.records import frame, scan
from wakeful.logs.formats import format_names
from wakeful.messages import Telling, Template
from wakeful.reading.json_text import read_json
from wakeful.reading.markdown import read_automation_file
from wakeful.reading.writing import write_automation
from wakeful.reading.yaml_text import read_yaml

HERE = Path(__file__).parents[1]
RULESETS = sorted((HERE.parent / "rulesets").glob("*.yaml"))
SHORT = settings(
    max_examples=int(os.environ.get("WAKEFUL_FUZZ_SHORT", "40")),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
LONG = settings(
    settings.get_profile("deep"),
    max_examples=int(os.environ.get("WAKEFUL_FUZZ_EXAMPLES", "20000")),
    suppress_health_check=list(HealthCheck),
)

DEFINITIONS = [write_automation(rule) for rule in RULES]
YAML_TEXTS = tuple(path.read_bytes() for path in RULESETS[:6])
JSON_TEXTS = tuple(json.dumps({"automations": [one]}).encode() for one in DEFINITIONS)
MARKDOWN = b"""---
title: Nightly
owner: user:ann
triggers:
  - {id: t1, kind: schedule, schedule: {expression: "0 2 * * *", timeZone: Europe/Berlin}}
session: {provider: claude}
---

Look at {{event}}.
"""
CRON = tuple(
    text.encode()
    for text in ("*/5 9-17 * JAN-MAR,7 MON-FRI", "0 0 29 2 *", "59 23 31 12 7", "* * * * *")
)
NATIVE = (HERE.parent / "src/wakeful/data/a-working-day.jsonl").read_bytes()[:3_000]


def shared_logs() -> list[bytes]:
    """The beginnings of the logs beside the checkout, where they are."""
    folder = HERE.parents[1] / "shared" / "logs"
    return [path.read_bytes()[:4_000] for path in sorted(folder.glob("*.json*")) if path.is_file()]


LOGS = (NATIVE, *shared_logs())


def only(*errors: type[BaseException]):
    return contextlib.suppress(*errors)


def fuzz_json(data: bytes) -> None:
    with only(InvalidError):
        read_json(data.decode("utf-8", "surrogateescape"))


def fuzz_yaml(data: bytes) -> None:
    with only(InvalidError):
        read_yaml(data.decode("utf-8", "replace"))


def fuzz_markdown(data: bytes) -> None:
    with only(InvalidError):
        read_automation_file(data.decode("utf-8", "replace"), "a.md")


def fuzz_cron(data: bytes) -> None:
    with only(InvalidError):
        expression = CronExpression.parse(data.decode("utf-8", "replace"))
        assert str(expression)


def fuzz_duration(data: bytes) -> None:
    with only(InvalidError):
        assert parse_duration(data.decode("utf-8", "replace")) >= 0


def fuzz_instant(data: bytes) -> None:
    with only(InvalidError):
        assert isinstance(parse_instant(data.decode("utf-8", "replace")), int)


def fuzz_snapshot(data: bytes) -> None:
    with only(SnapshotError):
        Engine.restore(data, RULES).engine.check()


def fuzz_session(data: bytes) -> None:
    engine = Engine(RULES, at=0)
    with only(SnapshotError):
        engine.import_session(data)
    engine.check()


def fuzz_journal(data: bytes) -> None:
    records, torn = scan(data)
    assert (records[-1].end if records else 0) + (torn.size if torn else 0) == len(data)


def fuzz_message(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    told = Template(text).tell(Telling(at=0, trigger=text, session=text, session_title=text))
    # A value that was filled in is never filled again (semantics 8.2).
    assert told.count("{{nothing}}") >= text.count("{{nothing}}")


PARSERS = {
    "json": (fuzz_json, texts(*JSON_TEXTS)),
    "yaml": (fuzz_yaml, texts(*YAML_TEXTS)),
    "markdown": (fuzz_markdown, texts(MARKDOWN)),
    "cron": (fuzz_cron, texts(*CRON)),
    "duration": (fuzz_duration, texts(b"30s", b"5m", b" 2h ", b"0s")),
    "instant": (fuzz_instant, texts(b"2026-10-07T14:22:05.118Z", b"2026-10-07 14:22:05,1+02:00")),
    "snapshot": (fuzz_snapshot, texts(SNAPSHOT)),
    "session": (fuzz_session, texts(Engine.restore(SNAPSHOT, RULES).engine.export_session("s"))),
    "journal": (
        fuzz_journal,
        texts(b"".join(frame("i", b'{"at":%d,"kind":"tick"}' % n) for n in range(4))),
    ),
    "message": (fuzz_message, texts(b"{{event}} {{event.a}} {{at}} {{session}} {{nothing}} {{")),
}


@pytest.mark.parametrize("parser", PARSERS)
@SHORT
@given(data=st.data())
def test_only_documented_errors_come_out(parser, data):
    fuzz, given_texts = PARSERS[parser]
    fuzz(data.draw(given_texts))


@pytest.mark.deep
@pytest.mark.parametrize("parser", PARSERS)
@LONG
@given(data=st.data())
def test_only_documented_errors_come_out_for_long(parser, data):
    fuzz, given_texts = PARSERS[parser]
    fuzz(data.draw(given_texts))


def fuzz_definition(data) -> None:
    with only(InvalidError):
        automation = read_automation(data)
        Engine([automation], at=0).check()
        # What was read can be written, and reads back equal.
        again = read_automation(write_automation(automation))
        assert write_automation(automation) == write_automation(again)
    with only(InvalidError):
        read_definition(data)


definitions = st.one_of(plain, *(misshapen(one) for one in DEFINITIONS))


@SHORT
@given(data=definitions)
def test_any_data_is_a_definition_or_refused(data):
    fuzz_definition(data)


@pytest.mark.deep
@LONG
@given(data=definitions)
def test_any_data_is_a_definition_or_refused_for_long(data):
    fuzz_definition(data)


def fuzz_rules(folder: Path, data: bytes, suffix: str) -> None:
    path = folder / f"rules{suffix}"
    path.write_bytes(data)
    with only(InvalidError):
        load_rules([path])


files = st.sampled_from((".yaml", ".json", ".md")).flatmap(
    lambda suffix: st.tuples(
        st.just(suffix),
        texts(*{".yaml": YAML_TEXTS, ".json": JSON_TEXTS, ".md": (MARKDOWN,)}[suffix]),
    )
)


@SHORT
@given(file=files)
def test_any_file_is_rules_or_refused(tmp_path, file):
    fuzz_rules(tmp_path, file[1], file[0])


@pytest.mark.deep
@LONG
@given(file=files)
def test_any_file_is_rules_or_refused_for_long(tmp_path, file):
    fuzz_rules(tmp_path, file[1], file[0])


def fuzz_log(folder: Path, data: bytes, format_: str, suffix: str) -> None:
    path = folder / f"log{suffix}"
    path.write_bytes(data)
    with only(LogError), open_logs([path], format=format_) as stream:
        # Without schedules: a log may leap over ages, and each minute of them would be reached.
        engine = Engine(RULES[:3])
        for item in stream:
            with only(WakefulError):
                engine.feed(item)
        engine.check()


logs = st.tuples(
    st.sampled_from(format_names()), st.sampled_from((".jsonl", ".json", ".gz")), texts(*LOGS)
)


@SHORT
@given(log=logs)
def test_any_file_is_a_log_or_refused(tmp_path, log):
    fuzz_log(tmp_path, log[2], log[0], log[1])


@pytest.mark.deep
@LONG
@given(log=logs)
def test_any_file_is_a_log_or_refused_for_long(tmp_path, log):
    fuzz_log(tmp_path, log[2], log[0], log[1])
