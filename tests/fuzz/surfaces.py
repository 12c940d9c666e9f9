"""Everything that reads what others wrote, each as a function of bytes.

A surface is fed any bytes. What it does not take it refuses with the errors that are
documented, which are caught here; whatever else comes out is a fault.
"""

import contextlib
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import attrs
from hypothesis import strategies as st

from catalogue.catalogue_world import World
from catalogue.test_hostile_clients import VALID as CLIENT_MESSAGES
from fuzz import fleet_state
from fuzz.feeding import misshapen, plain, texts
from journal.faulty_disk import FaultyDisk
from journal.journal_scenes import FOLDER
from journal.journal_scenes import RULES as JOURNAL_RULES
from snapshots.test_refusals import RULES, SNAPSHOT
from storage.storage_builders import BLUEPRINT
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
from wakeful.catalogue.jsonrpc import receive
from wakeful.core.sealed import seal
from wakeful.hosting.watch_state import read_watch_state
from wakeful.journal import Journal, JournalError
from wakeful.journal.records import Kind, frame, scan
from wakeful.logs.formats import format_names
from wakeful.messages import Telling, Template
from wakeful.reading.json_text import read_json
from wakeful.reading.markdown import read_automation_file
from wakeful.reading.writing import write_automation
from wakeful.reading.yaml_text import read_yaml
from wakeful.rule_tests.files import read_tests
from wakeful.storage.exchange import (
    export_automation,
    export_to_vscode,
    import_automation,
    import_from_vscode,
)
from wakeful.storage.faults import StorageUnavailableError
from wakeful.storage.migration import convert
from wakeful.storage.run_state import decode_run_state

only = contextlib.suppress
HERE = Path(__file__).parents[1]
RULESETS = HERE.parent / "rulesets"
FIXTURES = HERE / "fixtures"


@attrs.frozen
class Surface:
    """Something that reads what others wrote.

    Attributes:
        feed: Takes bytes, and a folder of its own that it may write to; raises where what came
            out is no documented error.
        texts: Bytes to feed it.
    """

    feed: Callable[[bytes, Path], None]
    texts: st.SearchStrategy[bytes]


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def of_text(read: Callable[[str], object]) -> Callable[[bytes, Path], None]:
    def feed(data: bytes, _folder: Path) -> None:
        with only(InvalidError):
            read(text_of(data))

    return feed


def json_bytes(*shapes: Any) -> st.SearchStrategy[bytes]:
    """JSON of data that is almost right, and of data that is nothing."""
    return st.one_of(plain, *map(misshapen, shapes)).map(lambda data: json.dumps(data).encode())


# -- small texts --------------------------------------------------------------------------------


def message(text: str) -> None:
    told = Template(text).tell(Telling(at=0, trigger=text, session=text, session_title=text))
    # A value that was filled in is never filled again (semantics 8.2).
    assert told.count("{{nothing}}") >= text.count("{{nothing}}")


CRON = ("*/5 9-17 * JAN-MAR,7 MON-FRI", "0 0 29 2 *", "59 23 31 12 7", "* * * * *")
TEXTS = {
    "json": Surface(of_text(read_json), texts(b'{"automations": [{"id": "a", "n": 1.5e3}]}')),
    "cron": Surface(
        of_text(lambda text: str(CronExpression.parse(text))),
        texts(*(text.encode() for text in CRON)),
    ),
    "duration": Surface(of_text(parse_duration), texts(b"30s", b"5m", b" 2h ", b"0s")),
    "instant": Surface(
        of_text(parse_instant), texts(b"2026-10-07T14:22:05.118Z", b"2026-10-07 14:22:05,1+02:00")
    ),
    "message": Surface(
        of_text(message), texts(b"{{event}} {{event.a}} {{at}} {{session}} {{nothing}} {{")
    ),
}


# -- definitions and the files they stand in ----------------------------------------------------

DEFINITIONS = [write_automation(rule) for rule in RULES]
YAML_TEXTS = tuple(path.read_bytes() for path in sorted(RULESETS.glob("*.yaml"))[:6])
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
OLD_FILE = json.dumps(
    {
        "version": 1,
        "automations": [
            {
                "id": "nightly",
                "definition": {"title": "N", "message": {"text": "m"}},
                "createdAt": "2026-10-07T14:22:05.118Z",
                "modifiedAt": "2026-10-07T14:22:05.118Z",
                "nextRunAt": "2026-10-08T02:00:00Z",
                "runCount": 3,
            }
        ],
    }
).encode()


def definition(data: bytes, _folder: Path) -> None:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return
    with only(InvalidError):
        automation = read_automation(found)
        Engine([automation], at=0).check()
        # What was read can be written, and reads back equal.
        again = read_automation(write_automation(automation))
        assert write_automation(automation) == write_automation(again)
    with only(InvalidError):
        read_definition(found)


def rules_file(suffix: str, data: bytes, folder: Path) -> None:
    path = folder / f"rules{suffix}"
    path.write_bytes(data)
    with only(InvalidError):
        load_rules([path])


def automation_file(text: str) -> None:
    read_automation_file(text, "a.md")
    exported = export_automation(text).text
    imported = import_automation(exported, created_at=0, folder="/srv")
    assert not read_automation_file(imported).definition.enabled
    with only(InvalidError):
        export_to_vscode(text)


def vscode_file(text: str) -> None:
    imported = import_from_vscode(text, created_at=0, folder="/srv")
    assert not read_automation_file(imported).definition.enabled
    export_to_vscode(imported)


def rule_tests(data: bytes, folder: Path) -> None:
    path = folder / "a.test.yaml"
    path.write_bytes(data)
    with only(InvalidError):
        read_tests(path)


def old_file(data: bytes, folder: Path) -> None:
    path = folder / "automations.json"
    path.write_bytes(data)
    convert(path)


FILES = {
    "yaml": Surface(of_text(read_yaml), texts(*YAML_TEXTS)),
    "definition": Surface(definition, json_bytes(*DEFINITIONS)),
    "rules yaml": Surface(partial(rules_file, ".yaml"), texts(*YAML_TEXTS)),
    "rules json": Surface(partial(rules_file, ".json"), texts(*JSON_TEXTS)),
    "rules md": Surface(partial(rules_file, ".md"), texts(MARKDOWN)),
    "automation file": Surface(of_text(automation_file), texts(MARKDOWN)),
    "vscode file": Surface(of_text(vscode_file), texts(BLUEPRINT.encode())),
    "rule tests": Surface(
        rule_tests,
        texts(*(path.read_bytes() for path in sorted(RULESETS.glob("*.test.yaml"))[:3])),
    ),
    "old automations": Surface(old_file, texts(OLD_FILE) | json_bytes(json.loads(OLD_FILE))),
}


# -- what the library itself wrote, and somebody changed ------------------------------------------

STATE = json.loads(SNAPSHOT)
SESSION = Engine.restore(SNAPSHOT, RULES).engine.export_session("s")
assert SESSION is not None
RUN_STATE = b"""{"version": 1, "automations": {"ahp-automation:/a": {
  "created_at": "2026-10-07T14:22:05.118Z", "modified_at": "2026-10-07T14:22:05.118Z",
  "runCount": 3, "occurrences": {"t1": "2026-10-08T02:00:00.000Z"}, "going": ["r"],
  "requests": {"p": "r"}}}}""".replace(b"_at", b"At")
WATCH_STATE = {
    "kind": "wakeful watch",
    "version": 1,
    "engine": SNAPSHOT.decode(),
    "logs": {},
    "owed": [],
}


def snapshot(data: bytes, _folder: Path) -> None:
    with only(SnapshotError):
        Engine.restore(data, RULES).engine.check()


def session(data: bytes, _folder: Path) -> None:
    engine = Engine(RULES, at=0)
    with only(SnapshotError):
        engine.import_session(data)
    engine.check()


def sealed(like: dict[str, Any], data: bytes) -> bytes | None:
    """Nonsense under a digest that fits it: what somebody may write who knows the format."""
    try:
        return seal(like["format"], like["version"], json.loads(data))
    except (ValueError, RecursionError):
        return None  # NaN, which no JSON has


def sealed_snapshot(data: bytes, folder: Path) -> None:
    found = sealed(STATE, data)
    if found is not None:
        snapshot(found, folder)


def sealed_session(data: bytes, folder: Path) -> None:
    found = sealed(json.loads(SESSION), data)
    if found is not None:
        session(found, folder)


def new_journal() -> dict[str, bytes]:
    """The files of a journal that begins; without schedules, for a record may leap over ages."""
    disk = FaultyDisk()
    Journal.open(FOLDER, at=0, automations=JOURNAL_RULES[:2], disk=disk).close()
    return {name: bytes(node.seen) for name, node in disk.names_seen.items()}


JOURNAL = new_journal()
(JOURNAL_LOG,) = (name for name in JOURNAL if name.startswith("journal-"))
(JOURNAL_SNAPSHOT,) = (name for name in JOURNAL if name.startswith("snapshot-"))
RECORDS = (
    b'i{"at":1,"kind":"toolFailed","session":"s"}\n'
    b'i{"at":2,"kind":"toolFailed","session":"s","tool":{"name":"Bash","inputHash":"x"}}\n'
    b't60000\ni{"at":60001,"kind":"idle","session":"s"}\na["ahp-automation:/a@1.1.0.1.0.0.0"]\n'
    b'i{"at":60002,"kind":"definitionRemoved","automation":"ahp-automation:/a"}\n'
)


def journal_of(files: dict[str, bytes]) -> None:
    disk = FaultyDisk()
    for name, data in files.items():
        disk.create(FOLDER / name).write(data)
    with only(JournalError):
        Journal.open(FOLDER, at=0, disk=disk.killed()).close()


def journal_bytes(data: bytes, _folder: Path) -> None:
    records, torn = scan(data)
    assert (records[-1].end if records else 0) + (torn.size if torn else 0) == len(data)
    journal_of({**JOURNAL, JOURNAL_LOG: JOURNAL[JOURNAL_LOG] + data})


def journal_records(data: bytes, _folder: Path) -> None:
    """Each line is a record: its letter, and its text."""
    kinds = {kind.value: kind for kind in Kind}
    framed = b"".join(
        frame(kinds[chr(line[0])], line[1:])
        for line in data.split(b"\n")
        if line and chr(line[0]) in kinds
    )
    journal_of({**JOURNAL, JOURNAL_LOG: JOURNAL[JOURNAL_LOG] + framed})


def journal_snapshot(data: bytes, _folder: Path) -> None:
    found = sealed(json.loads(JOURNAL[JOURNAL_SNAPSHOT]), data)
    if found is not None:
        journal_of({**JOURNAL, JOURNAL_SNAPSHOT: found})


def run_state(data: bytes, _folder: Path) -> None:
    with only(StorageUnavailableError):
        state = decode_run_state(data, Path("state.json"))
        for resource in state.resources:
            state.of(resource)
        assert decode_run_state(state.encode(), Path("state.json")).encode() == state.encode()


def watch_state(data: bytes, folder: Path) -> None:
    path = folder / "watch.json"
    path.write_bytes(data)
    with only(SnapshotError):
        read_watch_state(path)


def fleet(kind: str, data: bytes, _folder: Path) -> None:
    fleet_state.go_on(kind, data)


def sealed_fleet(kind: str, data: bytes, _folder: Path) -> None:
    found = fleet_state.resealed(kind, data)
    if found is not None:
        fleet_state.go_on(kind, found)


FLEET = {
    name: surface
    for kind, like in fleet_state.SEEDS.items()
    for name, surface in {
        f"fleet {kind}": Surface(partial(fleet, kind), texts(like)),
        f"sealed fleet {kind}": Surface(
            partial(sealed_fleet, kind), json_bytes(fleet_state.seed(kind))
        ),
    }.items()
}

KEPT = {
    "snapshot": Surface(snapshot, texts(SNAPSHOT)),
    "sealed snapshot": Surface(sealed_snapshot, json_bytes(STATE["state"])),
    "session": Surface(session, texts(SESSION)),
    "sealed session": Surface(sealed_session, json_bytes(json.loads(SESSION)["state"])),
    "journal": Surface(
        journal_bytes, texts(b"".join(frame(Kind.ADVANCED, b"%d" % n) for n in range(4)))
    ),
    "journal records": Surface(journal_records, texts(RECORDS)),
    "journal snapshot": Surface(
        journal_snapshot, json_bytes(json.loads(JOURNAL[JOURNAL_SNAPSHOT])["state"])
    ),
    "run state": Surface(run_state, texts(RUN_STATE) | json_bytes(json.loads(RUN_STATE))),
    "watch state": Surface(watch_state, json_bytes(WATCH_STATE)),
}


# -- logs, by every reader ------------------------------------------------------------------------

NATIVE = (HERE.parent / "src/wakeful/data/a-working-day.jsonl").read_bytes()[:3_000]


def shared_logs() -> list[bytes]:
    """The beginnings of the logs beside the checkout, where they are."""
    folder = HERE.parents[1] / "shared" / "logs"
    return [path.read_bytes()[:4_000] for path in sorted(folder.glob("*.json*")) if path.is_file()]


def log(format_: str, data: bytes, folder: Path) -> None:
    # Compressed or not is found by the first bytes too, so that one name is enough but for this.
    suffix = (".jsonl", ".json", ".gz", ".zst")[data[-1] % 4 if data else 0]
    path = folder / f"log{suffix}"
    path.write_bytes(data)
    with only(LogError), open_logs([path], format=format_) as stream:
        # Without schedules: a log may leap over ages, and each minute of them would be reached.
        engine = Engine(RULES[:3])
        for item in stream:
            with only(WakefulError):
                engine.feed(item)
        engine.check()


LOGS = {
    f"log {name}": Surface(partial(log, name), texts(NATIVE, *shared_logs()))
    for name in format_names()
}


# -- clients --------------------------------------------------------------------------------------


def client(data: bytes, _folder: Path) -> None:
    """A message of a client to a catalogue that has an automation and a run."""
    world = World()
    world.create()
    world.press()
    answer = receive(world.catalogue, "ann", data, at=world.host.at)
    assert answer is None or "jsonrpc" in json.loads(answer)


CLIENTS = {
    "client": Surface(
        client,
        texts(*(json.dumps(one).encode() for one in CLIENT_MESSAGES))
        | json_bytes(*CLIENT_MESSAGES),
    )
}

SURFACES: dict[str, Surface] = {**TEXTS, **FILES, **KEPT, **FLEET, **LOGS, **CLIENTS}
