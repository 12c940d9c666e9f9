"""An automation as the text of its file: written anew, or edited where a person wrote it.

The front matter holds the definition's keys in the protocol's shape, ``owner`` and
``createdAt``; the body is the text of the message. Not in it: the resource, which is the
file's name; the chat that a pinned automation keeps, which is the host's note; all that runs
change.

An edit is made against what the file says, and not against how it says it: the definition
that the file means and the new one are both written out, and what differs between the two is
changed in the file. So ``300s`` stays ``300s`` while the rule means ``5m``, a title that was
left out stays out, and a file that already means the new definition is left alone.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import attrs

from wakeful.errors import InvalidError
from wakeful.model.automations import AutomationDefinition
from wakeful.model.time import format_instant
from wakeful.reading.checks import HOST_NOTES, OWNER_NOTE
from wakeful.reading.definitions import KeptAutomation, read_kept_automation
from wakeful.reading.front_matter import (
    fits_body,
    join_front_matter,
    split_front_matter,
    text_of_body,
)
from wakeful.reading.kinds import is_list, is_map
from wakeful.reading.markdown import front_matter_keys, read_automation_file
from wakeful.reading.paths import child
from wakeful.reading.writing import write_definition
from wakeful.storage.yaml_editing import edit_yaml, pair_items, same
from wakeful.storage.yaml_writing import to_yaml

PINNED_SESSION: Final = "pinnedSession"
"""The host's note of the chat that a pinned automation keeps."""

_ORDER: Final = ("title", "enabled", "message", "session", "triggers")
_SHORTHANDS: Final = ("overlap", "pinned")


def write_automation_text(kept: KeptAutomation) -> str:
    """The text of a new file.

    Raises:
        InvalidError: The definition cannot be written, or has a NUL somewhere.
    """
    keys = _keys(kept)
    text = keys["message"].pop("text")
    if not fits_body(text):
        keys["message"]["text"], text = text, ""
    if not keys["message"]:
        del keys["message"]
    return join_front_matter(to_yaml(keys), text)


def edit_automation_text(text: str, kept: KeptAutomation) -> str:
    """The text of a file that is to hold ``kept`` from now on; what did not change stays.

    Args:
        text: The file as it is, which :func:`read_automation_file` has read.
        kept: What it is to say; without ``created_at`` that of the file stays.

    Raises:
        InvalidError: The file cannot be read, or ``kept`` cannot be written.
    """
    before = read_automation_file(text)
    after = (
        kept if kept.created_at is not None else attrs.evolve(kept, created_at=before.created_at)
    )
    parts = split_front_matter(text)
    written = front_matter_keys(parts)
    in_keys = "text" in written.get("message", {})
    shorthands = [name for name in _SHORTHANDS if name in written]
    old, new = _keys(before, shorthands), _keys(after, shorthands)
    body, body_text = parts.body, text_of_body(parts.body)
    if not in_keys:
        wanted = new["message"]["text"]
        if fits_body(wanted):
            for keys in (old, new):
                del keys["message"]["text"]
            if wanted != body_text:
                body = _edited_body(body, body_text, wanted)
        else:
            del old["message"]["text"]
            body = ""
    target = _without_empty_message(rebase(written, old, new), written)
    edited = edit_yaml(parts.yaml, written, target)
    result = text[: parts.start] + edited + text[parts.end : parts.body_start] + body
    if _holds(result, after):
        return result
    return write_automation_text(after)


def forget_host(text: str) -> str:
    """The text of a file without what belongs to the host that keeps it.

    That is the owner, the time it was made, and the chat that a pinned automation keeps. All
    else stays as it is written.

    Raises:
        InvalidError: The file cannot be read.
    """
    kept = read_automation_file(text)
    parts = split_front_matter(text)
    written = front_matter_keys(parts)
    target = {key: item for key, item in written.items() if key not in ("owner", "createdAt")}
    meta = dict(target.get("_meta", {}))
    meta.pop(OWNER_NOTE, None)
    notes = {key: item for key, item in meta.get(HOST_NOTES, {}).items() if key != PINNED_SESSION}
    if HOST_NOTES in meta:
        meta[HOST_NOTES] = notes
    if not notes:
        meta.pop(HOST_NOTES, None)
    if meta:
        target["_meta"] = meta
    else:
        target.pop("_meta", None)
    edited = edit_yaml(parts.yaml, written, target)
    result = text[: parts.start] + edited + text[parts.end :]
    after = KeptAutomation(definition=_without_owner(without_host_notes(kept.definition)))
    return result if _holds(result, after) else write_automation_text(after)


def _without_owner(definition: AutomationDefinition) -> AutomationDefinition:
    meta = {key: item for key, item in definition.meta.items() if key != OWNER_NOTE}
    return attrs.evolve(definition, meta=meta)


def merge_kept(
    *, seen: KeptAutomation, theirs: KeptAutomation, mine: KeptAutomation
) -> KeptAutomation:
    """What two made of one definition: theirs, with what was changed from ``seen`` to ``mine``.

    Where both changed one value it is mine.

    Raises:
        InvalidError: The two do not go together.
    """
    return read_kept_automation(rebase(_keys(theirs), _keys(seen), _keys(mine)))


def rebase(written: Any, old: Any, new: Any) -> Any:
    """What a person wrote, with the difference between what it means and what it shall mean.

    Args:
        written: As it was written.
        old: The same, written out.
        new: What it is to become, written out.
    """
    if same(old, new):
        return written
    if is_map(written) and is_map(old) and is_map(new):
        merged = {
            key: rebase(item, old[key], new[key]) if key in old and key in new else item
            for key, item in written.items()
            if key in new or key not in old
        }
        merged |= {
            key: item
            for key, item in new.items()
            if key not in merged and not (key in old and same(old[key], item))
        }
        return merged
    if is_list(written) and is_list(old) and is_list(new) and len(written) == len(old):
        return [
            item if position is None else rebase(written[position], old[position], item)
            for item, position in zip(new, pair_items(old, new), strict=True)
        ]
    return new


def without_host_notes(definition: AutomationDefinition) -> AutomationDefinition:
    """A definition without the chat that its host noted."""
    return with_pinned_session(definition, None)


def with_pinned_session(
    definition: AutomationDefinition, session: str | None
) -> AutomationDefinition:
    """A definition with the chat that its host noted, ``None`` for none."""
    notes = dict(definition.meta.get(HOST_NOTES, {}))
    notes.pop(PINNED_SESSION, None)
    if session is not None:
        notes[PINNED_SESSION] = session
    meta = {key: item for key, item in definition.meta.items() if key != HOST_NOTES}
    if notes:
        meta[HOST_NOTES] = notes
    return attrs.evolve(definition, meta=meta, pinned_session=session)


def _keys(kept: KeptAutomation, shorthands: Iterable[str] = ()) -> dict[str, Any]:
    """What a file says, written out in the protocol's shape, with the message's text."""
    data = write_definition(without_host_notes(kept.definition))
    _refuse_nul(data)
    del data["message"]["origin"]
    meta = data.pop("_meta", {})
    if meta.get(OWNER_NOTE) == kept.owner:
        meta.pop(OWNER_NOTE, None)
    notes = meta.get(HOST_NOTES, {})
    keys = {key: data[key] for key in _ORDER} | {
        key: item for key, item in data.items() if key not in _ORDER
    }
    for key in ("session", "triggers"):
        if not keys[key]:
            del keys[key]
    for name in shorthands:
        if name == "overlap":
            keys[name] = notes.pop("overlap", "queue")
        else:
            keys[name] = notes.pop("session", None) == "pinned"
    if HOST_NOTES in meta and not notes:
        del meta[HOST_NOTES]
    if meta:
        keys["_meta"] = meta
    if kept.owner is not None:
        keys["owner"] = kept.owner
    if kept.created_at is not None:
        keys["createdAt"] = format_instant(kept.created_at)
    return keys


def _without_empty_message(target: dict[str, Any], written: Mapping[str, Any]) -> dict[str, Any]:
    if target.get("message") == {} and written.get("message") != {}:
        return {key: item for key, item in target.items() if key != "message"}
    return target


def _edited_body(body: str, old: str, new: str) -> str:
    """A body with another text, between the same empty lines and with the same line ends."""
    end = "\r\n" if "\r\n" in body else "\n"
    if not old or not new:
        return new.replace("\n", end) + end if new else ""
    lead = body[: len(body) - len(body.lstrip("\r\n"))]
    trail = body[len(body.rstrip("\r\n")) :]
    return lead + new.replace("\n", end) + trail


def _holds(text: str, kept: KeptAutomation) -> bool:
    try:
        return same(_keys(read_automation_file(text)), _keys(kept))
    except InvalidError:
        return False


def _refuse_nul(data: Any, path: str = "") -> None:
    """Raise for the first text with a NUL: a file that has one is shown by no editor."""
    if isinstance(data, str):
        if "\0" in data:
            raise InvalidError.single(
                path, data, "text without NUL characters", "a text with a NUL cannot be kept"
            )
    elif is_map(data):
        for key, item in data.items():
            _refuse_nul(key, path)
            _refuse_nul(item, child(path, key))
    elif is_list(data):
        for index, item in enumerate(data):
            _refuse_nul(item, child(path, index))
