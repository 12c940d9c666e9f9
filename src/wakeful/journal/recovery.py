"""From what a journal's files say to the engine they were written beside."""

import json
from typing import Any, Final

import attrs

from wakeful.core.engine import Engine
from wakeful.core.settings import Settings
from wakeful.core.sight import Sight
from wakeful.errors import InputRefusedError, WakefulError
from wakeful.journal.decisions import Outstanding
from wakeful.journal.faults import JournalError
from wakeful.journal.generations import Found
from wakeful.journal.records import Kind, Record, Torn
from wakeful.logs.native import NativeReader
from wakeful.logs.reader import Origin
from wakeful.model.automations import Automation
from wakeful.model.events import DefinitionRemoved, DefinitionSaved, Input
from wakeful.model.limits import LIMITS, Limits
from wakeful.model.time import Instant, parse_instant
from wakeful.plugins import TypeRegistry
from wakeful.reading import read_automation
from wakeful.reading.writing import write_automation

ORIGIN: Final = Origin("journal")
"""Where the lines of a journal come from."""


@attrs.frozen(kw_only=True)
class Recovery:
    """What opening a journal found.

    Attributes:
        is_new: Whether there was none, and it begins now.
        inputs: How many inputs were taken since the snapshot, and are taken again.
        refused: How many of them the engine refused, now as then.
        torn: What was cut off the end of the file, where something was.
        forgotten: How many decisions have gone at the bound, in all, unacknowledged.
    """

    is_new: bool
    inputs: int = 0
    refused: int = 0
    torn: Torn | None = None
    forgotten: int = 0


class Taken:
    """An engine as a journal says it was, and the definitions it has."""

    def __init__(
        self,
        settings: Settings,
        sight: Sight | None,
        types: TypeRegistry | None,
        outstanding: Outstanding,
    ) -> None:
        self._settings = settings
        self._sight = sight
        self._types = types
        self._outstanding = outstanding
        self.engine: Engine
        self.automations: dict[str, Any] = {}
        self.is_changed = False

    def begin(self, automations: tuple[Automation, ...], at: Instant) -> Recovery:
        """Begin with these definitions at this instant."""
        for one in automations:
            self.automations[one.resource] = write_automation(one)
        self.engine = Engine(
            automations, at=at, settings=self._settings, sight=self._sight, types=self._types
        )
        return Recovery(is_new=True)

    def recover(self, found: Found) -> Recovery:
        """Restore the snapshot, and take again what was taken since.

        Raises:
            JournalError: It is no such state, or a record says nothing that can be taken.
        """
        try:
            state = found.state
            settings = _settings(state["settings"])
            self.automations = {one["resource"]: one for one in state["automations"]}
            self._restore(state["engine"].encode(), settings)
            self._outstanding.restore(state["outstanding"])
            self._outstanding.forgotten = int(state["forgotten"])
        except (WakefulError, LookupError, TypeError, ValueError, AttributeError) as error:
            raise JournalError(f"the journal's snapshot cannot be restored: {error}") from error
        inputs = refused = 0
        reader = NativeReader()
        for record in found.records:
            try:
                took = self._take(record, reader)
            except InputRefusedError:
                took = False
            except (WakefulError, ValueError, RecursionError) as error:
                raise JournalError(f"a record cannot be read: {error}") from error
            inputs += record.kind is Kind.INPUT
            refused += not took
        if settings != self._settings:
            self._restore(self.engine.snapshot(), self._settings)
            self.is_changed = True
        return Recovery(
            is_new=False,
            inputs=inputs,
            refused=refused,
            torn=found.torn,
            forgotten=self._outstanding.forgotten,
        )

    def _restore(self, snapshot: bytes, settings: Settings) -> None:
        automations = [read_automation(one) for one in self.automations.values()]
        restored = Engine.restore(
            snapshot, automations, settings=settings, sight=self._sight, types=self._types
        )
        self.engine = restored.engine
        self._outstanding.give(restored.outputs)

    def _take(self, record: Record, reader: NativeReader) -> bool:
        match record.kind:
            case Kind.INPUT:
                (item,) = reader.decode(record.text, ORIGIN)
                self._outstanding.give(self.engine.feed(item))
                keep_definition(self.automations, item)
            case Kind.ADVANCED:
                self._outstanding.give(self.engine.advance(parse_instant(int(record.text))))
            case Kind.ACKNOWLEDGED:
                self._outstanding.take_back(_ids(record.text))
            case Kind.HEADER:
                raise ValueError("a header among records")
        return True


def keep_definition(automations: dict[str, Any], item: Input) -> None:
    """Keep the definition that an input saved, as plain data; let go of one it removed."""
    match item:
        case DefinitionSaved():
            automations[item.automation.resource] = write_automation(item.automation)
        case DefinitionRemoved():
            automations.pop(item.automation, None)
        case _:
            pass


def _settings(saved: dict[str, Any]) -> Settings:
    limits = saved.get("limits")
    return Settings(**{**saved, "limits": LIMITS if limits is None else Limits(**limits)})


def _ids(text: bytes) -> list[str]:
    found = json.loads(text)
    if not isinstance(found, list) or not all(isinstance(id_, str) for id_ in found):
        raise ValueError("acknowledged is a list of ids")
    return found
