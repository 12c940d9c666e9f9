"""What has to hold between the keys of an automation (semantics, section 12).

Each check reads the map as it was written, where anything may be of any kind, and not the
record made of it: so it speaks also where something else is wrong, and says nothing about
what is wrong by itself.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from wakeful.errors import Problem
from wakeful.reading.converter import Check
from wakeful.reading.kinds import OVERLAPS, is_list, is_map
from wakeful.reading.paths import child

OWNER_NOTE: Final = "ahpd.owner"
"""The member of ``_meta`` that names an automation's owner on the wire."""

HOST_NOTES: Final = "ahpd"
"""The member of ``_meta`` that holds overlap, pinning and the pinned session."""


def _items(value: Mapping[str, Any], key: str) -> list[tuple[int, Mapping[str, Any]]]:
    found = value.get(key)
    if not is_list(found):
        return []
    return [(index, item) for index, item in enumerate(found) if is_map(item)]


def _repeated(value: Mapping[str, Any], key: str, member: str, expected: str) -> Iterable[Problem]:
    """Each item of the list under ``key`` that says the same ``member`` as one before it."""
    seen: dict[str, int] = {}
    for index, item in _items(value, key):
        name = item.get(member)
        if not isinstance(name, str):
            continue
        if name in seen:
            yield Problem(
                path=child(child(child("", key), index), member),
                value=name,
                expected=expected,
                message=f"{name!r} is taken by {child(key, seen[name])}; expected {expected}",
            )
        seen.setdefault(name, index)


def distinct_ids(value: Mapping[str, Any]) -> Iterable[Problem]:
    """No two triggers have one id."""
    return _repeated(value, "triggers", "id", "an id that no other trigger has")


def distinct_conditions(value: Mapping[str, Any]) -> Iterable[Problem]:
    """Each kind of disable condition stands at most once (semantics 9.13)."""
    return _repeated(value, "disableConditions", "kind", "each kind of condition at most once")


def distinct_events(value: Mapping[str, Any]) -> Iterable[Problem]:
    """A type offers events, each under an id of its own (semantics 11.1)."""
    yield from _repeated(value, "events", "id", "an id that no other event of the type has")
    events = value.get("events")
    if is_list(events) and not events:
        yield Problem(path="events", value=events, expected="a list of at least one event")


def _notes(value: Mapping[str, Any]) -> Mapping[str, Any]:
    meta = value.get("_meta")
    notes = meta.get(HOST_NOTES) if is_map(meta) else None
    return notes if is_map(notes) else {}


def pinned_is_not_parallel(value: Mapping[str, Any]) -> Iterable[Problem]:
    """Pinned with ``parallel`` is refused when saved (semantics 9.12)."""
    notes = _notes(value)
    pinned = value.get("pinned") is True or notes.get("session") == "pinned"
    if not pinned:
        return
    for path, overlap in (
        ("overlap", value.get("overlap")),
        (child(child("_meta", HOST_NOTES), "overlap"), notes.get("overlap")),
    ):
        if overlap == "parallel":
            yield Problem(
                path=path,
                value=overlap,
                expected="queue, steer or skip",
                message="a pinned automation has one chat and cannot be parallel; "
                "expected queue, steer or skip",
            )


def shorthands_agree(value: Mapping[str, Any]) -> Iterable[Problem]:
    """A shorthand of a ruleset does not contradict the note that it stands for."""
    notes = _notes(value)
    noted = notes.get("overlap")
    if "overlap" in value and noted in OVERLAPS and value["overlap"] != noted:
        yield _disagrees("overlap", value["overlap"], "_meta.ahpd.overlap", noted)
    if value.get("pinned") is False and notes.get("session") == "pinned":
        yield _disagrees("pinned", value["pinned"], "_meta.ahpd.session", notes["session"])


def owners_agree(definition: Callable[[Mapping[str, Any]], Any]) -> Check:
    """The check that ``owner`` is not another one than ``_meta`` of the definition names."""

    def check(value: Mapping[str, Any]) -> Iterable[Problem]:
        written = definition(value)
        meta = written.get("_meta") if is_map(written) else None
        noted = meta.get(OWNER_NOTE) if is_map(meta) else None
        owner = value.get("owner")
        if owner is not None and noted is not None and owner != noted:
            yield _disagrees("owner", owner, f'_meta["{OWNER_NOTE}"]', noted)

    return check


def _disagrees(path: str, value: Any, other: str, said: Any) -> Problem:
    expected = f"what {other} says, or only one of the two"
    return Problem(
        path=path,
        value=value,
        expected=expected,
        message=f"{value!r} is not what {other} says, {said!r}",
    )


def says_something(value: Mapping[str, Any]) -> Iterable[Problem]:
    """A ruleset has automations, or declares types for those of other files."""
    if "automations" not in value and "types" not in value:
        yield Problem(path="automations", expected="a list of automations")
