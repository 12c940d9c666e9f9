"""Editing YAML that a person wrote: what changed is written anew, every other byte stays.

ruamel.yaml's own round trip keeps comments, order and quotes, but lays the rest out again:
indentation, blanks in braces, line ends. So its parser is asked where each value stands, the
old data and the new are gone through together, and only the spans of values that differ are
replaced, by what its emitter makes of the new ones. Keys that are new go behind the last of
their map; of what is removed the lines go, comments of their own stay.

Some texts cannot be edited in place: aliases (one span is many values), ``? `` keys, values
in places without a line of their own. The result is therefore read again, and where it is
not the new data, exactly, the whole is written anew.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import attrs
from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from wakeful.errors import InvalidError
from wakeful.reading.kinds import is_list, is_map
from wakeful.reading.yaml_text import read_yaml
from wakeful.storage.yaml_writing import scalar, to_yaml

_BLANKS: Final = " \t"


class _Edit(NamedTuple):
    """A span of the text, and what is put in its place."""

    start: int
    end: int
    text: str


class _CannotError(Exception):
    """This change has no place of its own in this text."""


def same(one: Any, other: Any) -> bool:
    """Whether plain data is equal, order of keys apart; ``1``, ``1.0`` and ``true`` differ."""
    if is_map(one) and is_map(other):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if is_list(one) and is_list(other):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and bool(one == other)


def edit_yaml(text: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Change a YAML text that holds ``old`` so that it holds ``new``.

    Args:
        text: A block map at the top, as front matter is.
        old: What :func:`~wakeful.reading.yaml_text.read_yaml` makes of it.
        new: What it shall make of it then.

    Returns:
        The text, the same in every byte that has no part in the change; or, where the
        change has no place of its own in it, YAML of ``new`` written anew.
    """
    if same(old, new):
        return text
    try:
        edited = _Editor(text).edit(old, new)
        if same(read_yaml(edited), new):
            return edited
    except (_CannotError, InvalidError):
        pass
    return to_yaml(new).replace("\n", _line_end(text)) if new else ""


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


@attrs.define
class _Editor:
    text: str
    edits: list[_Edit] = attrs.field(factory=list)

    def edit(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
        root = YAML(typ="safe", pure=True).compose(self.text)
        if not isinstance(root, MappingNode) or root.flow_style:
            raise _CannotError
        self._map(root, old, new)
        text, before = self.text, len(self.text)
        for edit in sorted(self.edits, reverse=True):
            if edit.end > before:
                raise _CannotError
            text = text[: edit.start] + edit.text + text[edit.end :]
            before = edit.start
        return text

    # -- going through old and new ----------------------------------------------------------

    def _value(self, node: Node, old: Any, new: Any) -> bool:
        """Change a value in its own span; ``False`` where its entry has to be written anew."""
        if same(old, new):
            return True
        if isinstance(node, MappingNode) and node.value and is_map(new) and new:
            if node.flow_style and old.keys() != new.keys():
                self._replace(node, to_yaml(new, in_line=True).rstrip("\n"))
            else:
                self._map(node, old, new)
            return True
        if isinstance(node, SequenceNode) and node.value and is_list(new) and new:
            if not node.flow_style or len(old) == len(new):
                return self._list(node, old, new)
            self._replace(node, to_yaml(new, in_line=True).rstrip("\n"))
            return True
        if isinstance(node, ScalarNode) and not (is_map(new) or is_list(new)):
            if node.start_mark.index == self._end(node):
                return False  # nothing is written for a null
            quote = node.style if node.style in ("'", '"') else None
            word = scalar(new, quote) if isinstance(new, str) else to_yaml(new).rstrip("\n")
            self._replace(node, word)
            return True
        return False

    def _map(self, node: MappingNode, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        column = node.value[0][0].start_mark.column
        for position, (key, value) in enumerate(node.value):
            name = key.value
            if name not in new:
                self._remove_entry(node, position)
            elif not self._value(value, old[name], new[name]):
                if node.flow_style:
                    raise _CannotError
                entry = self._indented(to_yaml({name: new[name]}), column)
                self.edits.append(_Edit(key.start_mark.index, self._end(value), entry))
        added = {name: item for name, item in new.items() if name not in old}
        if added:
            if node.flow_style:
                raise _CannotError
            self._insert_after(node, " " * column + self._indented(to_yaml(added), column))

    def _list(self, node: SequenceNode, old: Sequence[Any], new: Sequence[Any]) -> bool:
        """Change a list item by item; ``False`` where the items that stay change places."""
        pairs = list(pair_items(old, new))
        kept = [place for place in pairs if place is not None]
        if not kept or kept != sorted(kept) or (node.flow_style and len(kept) != len(old)):
            return False
        items = node.value
        for gone in set(range(len(old))) - set(kept):
            self._remove_lines(self._dash(items[gone]), self._end(items[gone]))
        added: dict[int, list[Any]] = {}
        last = -1
        for item, place in zip(new, pairs, strict=True):
            if place is None:
                added.setdefault(last, []).append(item)
                continue
            last = place
            self._item(node, items[place], old[place], item)
        for before, some in added.items():
            dash = self._dash(items[max(before, 0)])
            indent = self._column(dash)
            lines = " " * indent + self._indented(to_yaml(some), indent, less=2)
            if before < 0:
                start = self._line_start(dash)
                self.edits.append(_Edit(start, start, lines + _line_end(self.text)))
            else:
                self._insert_after(items[before], lines)
        return True

    def _item(self, node: SequenceNode, item: Node, old: Any, new: Any) -> None:
        if self._value(item, old, new):
            return
        if node.flow_style:
            raise _CannotError
        column = item.start_mark.column
        self.edits.append(
            _Edit(item.start_mark.index, self._end(item), self._indented(to_yaml(new), column))
        )

    # -- making edits -----------------------------------------------------------------------

    def _replace(self, node: Node, text: str) -> None:
        self.edits.append(_Edit(node.start_mark.index, self._end(node), text))

    def _insert_after(self, node: Node, lines: str) -> None:
        end = self._line_end_after(self._end(node))
        self.edits.append(_Edit(end, end, _line_end(self.text) + lines))

    def _remove_entry(self, node: MappingNode, position: int) -> None:
        key, value = node.value[position]
        if node.flow_style:
            raise _CannotError
        start = key.start_mark.index
        if not self.text[self._line_start(start) : start].strip(_BLANKS):
            self._remove_lines(start, self._end(value))
        elif position + 1 < len(node.value):
            # The first key of a list's item stands behind the dash; the next one moves up.
            self.edits.append(_Edit(start, node.value[position + 1][0].start_mark.index, ""))
        else:
            raise _CannotError

    def _remove_lines(self, start: int, end: int) -> None:
        begin = self._line_start(start)
        if self.text[begin:start].strip(_BLANKS):
            raise _CannotError
        after = self.text.find("\n", end)
        self.edits.append(_Edit(begin, len(self.text) if after < 0 else after + 1, ""))

    # -- where things stand -----------------------------------------------------------------

    def _end(self, node: Node) -> int:
        """Where the last character of a value is passed; ruamel.yaml says where the next begins."""
        if isinstance(node, MappingNode) and not node.flow_style and node.value:
            key, value = node.value[-1]
            after_colon: int = key.end_mark.index + 1
            return max(self._end(value), after_colon)
        if isinstance(node, SequenceNode) and not node.flow_style and node.value:
            return self._end(node.value[-1])
        start: int = node.start_mark.index
        end: int = node.end_mark.index
        return start + len(self.text[start:end].rstrip())

    def _dash(self, item: Node) -> int:
        before = self.text[: item.start_mark.index].rstrip(_BLANKS)
        if not before.endswith("-"):
            raise _CannotError
        return len(before) - 1

    def _line_start(self, offset: int) -> int:
        return self.text.rfind("\n", 0, offset) + 1

    def _column(self, offset: int) -> int:
        return offset - self._line_start(offset)

    def _line_end_after(self, offset: int) -> int:
        end = self.text.find("\n", offset)
        end = len(self.text) if end < 0 else end
        return end - 1 if end > offset and self.text[end - 1] == "\r" else end

    def _indented(self, text: str, column: int, *, less: int = 0) -> str:
        """Lines put in at a column, the first of them without its indent.

        ``less`` is how far the text is indented already.
        """
        first, *rest = text.rstrip("\n").split("\n")
        lines = [first[less:], *(" " * column + line[less:] for line in rest)]
        return _line_end(self.text).join(lines)


def pair_items(old: Sequence[Any], new: Sequence[Any]) -> Iterator[int | None]:
    """For each new item the place of the old one that it is: by its id, else by equality.

    Where both lists are of one length and items have no ids, the place itself says it.
    """
    free = dict.fromkeys(range(len(old)))
    for place, item in enumerate(new):
        found = next((at for at in free if _is_same_item(old[at], item)), None)
        if found is None and len(old) == len(new) and place in free and _id(item) is None:
            found = place
        if found is not None:
            del free[found]
        yield found


def _is_same_item(one: Any, other: Any) -> bool:
    return _id(one) == _id(other) if _id(one) is not None else same(one, other)


def _id(item: Any) -> Any:
    return item.get("id") if is_map(item) else None
