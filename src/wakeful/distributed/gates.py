"""A gate: the automations that fall to it, and what becomes of their matches.

Theory
------
Shards tell what concerns the gate's automations: matches, records of runs, presses, the turns of
sessions that belong to runs. The gate holds it back until the watermark has passed it and takes
it in the order of places, everybody's controls between it; so what it decides depends on nothing
but what is in the partitions. Between, and up to the watermark, what it times itself is due:
dates, runs that settle, occurrences.

Kept is: what is held back; each automation's state, written when something touched it; how far
the gate is. What a deadline changed and nobody was told of needs no writing: restored, the
deadline is due again before anything else, and changes the same.

At a ``resumed`` what fell due after the input before it is late (semantics 7.3). Which input that
was only all shards together know: each tells the last one it took. Until they have, the gate
goes no further than it has evidence that inputs came.

Automations of other gates keep their places here, and nothing else of them is known.
"""

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, TypeAlias, cast

import attrs

from wakeful.core.deciding import Deciding, is_brought_at, place_of_input
from wakeful.core.matcher import AFTER_INPUT
from wakeful.core.numbering import Numbering
from wakeful.core.settings import Settings
from wakeful.distributed.codec import Item, line_of, match_of, message_of, pack_json, unpack_json
from wakeful.distributed.controls import ControlLog, decode
from wakeful.distributed.partitions import Dealing
from wakeful.distributed.places import NEVER, Place
from wakeful.distributed.shards import Store
from wakeful.errors import InputRefusedError
from wakeful.logs.native import NativeReader
from wakeful.model.automations import Automation, AutomationDefinition
from wakeful.model.events import (
    DefinitionRemoved,
    DefinitionSaved,
    Input,
    Press,
    Resumed,
    TurnStarted,
)
from wakeful.model.outputs import OrderKey, Output
from wakeful.model.time import Instant

_META: Final = "meta"
_HELD: Final = "held/"
_AUTOMATION: Final = "automation/"


@attrs.frozen
class _Arrival:
    """Time comes to an instant without an input at this gate.

    Attributes:
        late_after: Whether what is due from then on, up to the next ``resumed``, is late.
    """

    late_after: bool


_Entry: TypeAlias = tuple[OrderKey, int, Any]
"""A place, what comes first at one place, and a control, an item that was told, or an arrival."""


@attrs.frozen(kw_only=True)
class Heard:
    """What the watermark let through at a gate.

    Attributes:
        outputs: Matches, decisions and faults, in order.
        went_off: The automations that disable conditions switched off.
        refused: Inputs that no engine would take, and why.
    """

    outputs: Sequence[Output] = ()
    went_off: Sequence[str] = ()
    refused: Sequence[str] = ()


class Gate:
    """One gate.

    Args:
        number: Which one.
        controls: What concerns everybody, as far as it came; shared with other gates.
        store: Where its state is kept. What is there is gone on from.
        dealing: How names are dealt out.
        settings: As for an engine.

    Attributes:
        until: The watermark up to which it is.
        late: What came too late, and was taken all the same.

    Raises:
        SnapshotError: What is kept is of another version, or damaged.
    """

    def __init__(
        self,
        number: int,
        controls: ControlLog,
        store: Store,
        *,
        dealing: Dealing,
        settings: Settings,
    ) -> None:
        self.until: Instant = NEVER
        self.late = 0
        self._number = number
        self._controls = controls
        self._store = store
        self._dealing = dealing
        self._deciding = Deciding(settings=settings)
        self._admitting = Numbering(settings)
        self._reader = NativeReader()
        self._last = 0
        """The number of the last input that anybody is known to have taken."""
        self._held: list[tuple[OrderKey, Item]] = []
        self._names: dict[int, Instant] = {}
        """What is kept of what is held back: names, and the last instant in each."""
        self._received = 0
        self._afters: dict[int, int] = {}
        """Of each ``resumed``, by number, the last input before it."""
        self._definitions: dict[str, Automation] = {}
        self._in_name: dict[str, tuple[Automation, int]] = {}
        """The last definition that each automation of another gate had, in name, and its place."""
        self._since: dict[str, int] = {}
        """The definition from which an automation is watched that had switched itself off."""
        self._places: dict[str, int] = {}
        self._next_place = 0
        self._gates: dict[str, int] = {}
        self._kept: set[str] = set()
        """The automations that state is kept of."""
        self._touched: set[str] = set()
        self._refused: list[str] = []
        self._restore()

    # -- what comes -----------------------------------------------------------------------

    def receive(self, data: bytes, watermark: Instant = NEVER) -> None:
        """Hold back what a shard tells until the watermark passes it.

        Args:
            data: The shard's message.
            watermark: As it stands; what is told should stand after it.

        Raises:
            SnapshotError: It is no such message, or of another version.
        """
        message = message_of(data)
        items = message["items"]
        self._last = max(self._last, message["last"])
        if not items:
            return
        passed = max(watermark, self.until)
        late = [one for one in items if "after" not in one and _key_of(one).at <= passed]
        if late:
            self.late += len(late)
            for one in late:
                one["from"] = passed + 1
            data = pack_json(message)
        self._store.put(f"{_HELD}{self._received}", data)
        self._hold(self._received, items)
        self._received += 1

    def _hold(self, name: int, items: Sequence[Item]) -> None:
        last = self.until
        for item in items:
            if "after" in item:
                number = item["number"]
                self._afters[number] = max(self._afters.get(number, 0), item["after"])
                last = max(last, Place.of(number).at)
                continue
            key = _key_of(item)
            if key.at > self.until:
                last = max(last, key.at)
                self._held.append((key, item))
        self._names[name] = last

    # -- what the watermark lets through --------------------------------------------------

    def advance(self, until: Instant, *, ended: bool = False) -> Heard:
        """Decide about what stands at or before an instant, and do what is due by then.

        Args:
            until: The watermark.
            ended: Whether every partition has ended: nothing is due after the last input.
        """
        end = 0
        if ended:
            numbers = (key.sequence for key, item in self._held if "match" not in item)
            end = max([self._controls.end, *numbers])
            until = min(until, Place.of(end).at)
        else:
            until = self._surely(until)
        if until <= self.until:
            return Heard()
        outputs: list[Output] = []
        self._take_all(until, end, outputs)
        if not end:
            outputs += self._deciding.advance(until)
        went_off = self._deciding.take_switched_off()
        self._touched.update(went_off)
        self._touched.update(output.automation for output in outputs)
        self.until = until
        self._keep()
        refused, self._refused = self._refused, []
        return Heard(
            outputs=[one for one in outputs if self._is_mine(one.automation)],
            went_off=[one for one in went_off if self._is_mine(one)],
            refused=refused if self._number == 0 else (),
        )

    def _surely(self, until: Instant) -> Instant:
        """Up to when it is sure what is late: not up to a ``resumed``, but to an input before it.

        That input may make something due at its own instant, so its instant is not covered.
        """
        known = self._last
        for number in reversed(self._controls.resumed_after(self.until)):
            known = self._afters.get(number, known)
            if Place.of(number).at > until:
                until = min(until, Place.of(known).at - 1)
        return until

    def _take_all(self, until: Instant, end: int, out: list[Output]) -> None:
        late = False
        for _, step in groupby(self._entries(until, end), key=_step_of):
            entries = list(step)
            key, _, what = entries[0]
            if isinstance(what, _Arrival):
                out += self._deciding.advance(key.at)
                late = late or what.late_after
            elif _is_due(key):
                # One automation that is watched twice may match twice in one place.
                for *_, one in entries:
                    if self._listens(one):
                        out += self._deciding.take_due(match_of(one["match"], late=late))
            else:
                self._take_step(key, [what for *_, what in entries], out)
                late = late and not any(isinstance(what, Resumed) for *_, what in entries)

    def _entries(self, until: Instant, end: int) -> list[_Entry]:
        """All that stands after where the gate is and not after an instant, in order."""
        controls = self._controls.between(self.until, until)
        entries: list[_Entry] = [
            (place_of_input(Place.of(number).at, number), 1, item) for number, item in controls
        ]
        rest = []
        for key, told in self._held:
            if key.at <= until:
                entries.append((key, 0 if "turn" in told else 2, told))
            else:
                rest.append((key, told))
        self._held = rest
        for number, item in controls:
            after = self._afters.pop(number, 0)
            if isinstance(item, Resumed):
                # What fell due after the last input before it, of all shards, is late.
                fed = (one[0].sequence for one in entries if one[0].fed)
                after = max([after, *(one for one in fed if one < number)])
                if after:
                    entries.append((_after(after), 3, _Arrival(late_after=True)))
        if end and not any(n == end and isinstance(item, Resumed) for n, item in controls):
            # It may be an input that only others take; time goes on to it here too.
            entries.append((_after(end - 1, Place.of(end).at), 3, _Arrival(late_after=False)))
        entries.sort(key=itemgetter(0, 1))
        return entries

    def _take_step(self, key: OrderKey, whats: Sequence[Any], out: list[Output]) -> None:
        """Take an input with the matches it brought, or either alone."""
        number = key.sequence
        brought = [what for what in whats if _has(what, "match") and self._listens(what)]
        matches = [match_of(what["match"]) for what in brought]
        item: Input | None = None
        for what in whats:
            if not isinstance(what, dict):
                self._take_control(what, number, out)
                continue
            told = cast("Item", what)
            if "turn" in told:
                self._touched.add(told["of"])
                out += self._deciding.take(TurnStarted(told["turn"], key.at), number)
            elif "line" in told:
                if item is None:
                    item = decode(self._reader, line_of(told["line"]), key.at)
                self._touch(item, told)
                if "first" in told:
                    self._press_elsewhere(told["first"], item, number, out)
        if item is None:
            out += self._deciding.take_matches(matches)
            return
        try:
            out += self._deciding.take(item, number, matches)
        except InputRefusedError as error:
            self._refused.append(str(error))

    def _touch(self, item: Input | None, what: Item) -> None:
        touched = what.get("of") or getattr(item, "automation", None)
        if touched is not None:
            self._touched.add(touched)

    def _take_control(self, item: Input, number: int, out: list[Output]) -> None:
        try:
            self._admitting.take(item)
        except InputRefusedError as error:
            self._refused.append(str(error))
            return
        self._listen(item, number)
        resource = self._know(item)
        if isinstance(item, DefinitionSaved) and self._is_mine(item.automation.resource):
            self._deciding.give_place(item.automation.resource, self._places[resource or ""])
        if resource is None or self._is_mine(resource):
            out += self._deciding.take(item, number)
        if resource is not None:
            self._touched.add(resource)
        elif isinstance(item, Resumed):
            self._touched.update(self._kept)

    def _listen(self, item: Input, number: int) -> None:
        """Which of the matches of an automation count that shards may watch twice."""
        if isinstance(item, DefinitionRemoved):
            self._since.pop(item.automation, None)
        elif isinstance(item, DefinitionSaved):
            resource = item.automation.resource
            standing = self._definitions.get(resource)
            if not item.automation.definition.enabled:
                self._since.pop(resource, None)
            elif (
                standing is not None
                and standing.definition.enabled
                and not self._deciding.is_on(resource)
            ):
                self._since[resource] = number

    def _listens(self, what: Item) -> bool:
        match = what["match"]
        return self._since.get(match["automation"], 0) == match.get("since", 0)

    def _know(self, item: Input) -> str | None:
        """Keep in mind the definitions that there are, with their places; which one this is of."""
        match item:
            case DefinitionSaved():
                resource = item.automation.resource
                if resource not in self._places:
                    self._places[resource] = self._next_place
                    self._next_place += 1
                self._definitions[resource] = item.automation
                if not self._is_mine(resource):
                    self._in_name[resource] = _in_name(item.automation), self._places[resource]
                return resource
            case DefinitionRemoved():
                self._places.pop(item.automation, None)
                self._definitions.pop(item.automation, None)
                return item.automation
            case _:
                return None

    def _press_elsewhere(
        self, automation: str, press: Input | None, number: int, out: list[Output]
    ) -> None:
        """A request id was pressed first on an automation of another gate: so it is known here."""
        in_name = self._in_name.get(automation)
        if not isinstance(press, Press) or in_name is None:
            return
        standing, place = in_name
        # Its run there may be known for longer than the automation is.
        self._touched.add(automation)
        self._deciding.give_place(automation, place)
        out += self._deciding.take(DefinitionSaved(automation=standing, at=press.at), number)
        out += self._deciding.take(attrs.evolve(press, automation=automation), number)

    def _is_mine(self, automation: str) -> bool:
        gate = self._gates.get(automation)
        if gate is None:
            gate = self._gates[automation] = self._dealing.gate(automation)
        return gate == self._number

    # -- what is kept ---------------------------------------------------------------------

    def _keep(self) -> None:
        for resource in self._touched:
            data = self._deciding.export_automation(resource)
            if data is None:
                self._kept.discard(resource)
                self._store.remove(f"{_AUTOMATION}{resource}")
            else:
                self._kept.add(resource)
                self._store.put(f"{_AUTOMATION}{resource}", data)
        self._touched.clear()
        for name in [name for name, last in self._names.items() if last <= self.until]:
            del self._names[name]
            self._store.remove(f"{_HELD}{name}")
        self._store.put(_META, pack_json([self.until, self._last, self._received, self._since]))

    def _restore(self) -> None:
        """Go on from what is kept: types and grants, automations, then what is held back."""
        kept = dict(self._store.items())
        meta = kept.get(_META)
        if meta is not None:
            self.until, self._last, self._received, self._since = unpack_json(
                meta, tuple[int, int, int, dict[str, int]]
            )
        for number, item in self._controls.between(NEVER, self.until):
            try:
                self._admitting.take(item)
            except InputRefusedError:
                continue
            if self._know(item) is None and not isinstance(item, Resumed):
                self._deciding.take(item, number)
        for name, data in sorted(kept.items()):
            if name.startswith(_AUTOMATION):
                resource = name.removeprefix(_AUTOMATION)
                standing = self._definitions.get(resource)
                if resource in self._in_name:
                    standing, _ = self._in_name[resource]
                self._deciding.import_automation(data, standing)
                self._kept.add(resource)
            elif name.startswith(_HELD):
                number = int(name.removeprefix(_HELD))
                self._received = max(self._received, number + 1)
                self._hold(number, message_of(data)["items"])
        if self.until > NEVER:
            self._deciding.advance(self.until)
            self._deciding.take_switched_off()


def _key_of(item: Item) -> OrderKey:
    """Where an item stands; it may have come too late to stand where it should."""
    if "match" in item:
        key = OrderKey(*item["match"]["key"])
    else:
        key = place_of_input(Place.of(item["number"]).at, item["number"])
    return key._replace(at=item["from"]) if "from" in item else key


def _after(number: int, at: Instant | None = None) -> OrderKey:
    """The place after an input with its matches, before what it made due."""
    at = Place.of(number).at if at is None else at
    return OrderKey(at, 1, 0, number, (AFTER_INPUT - 1,))


def _is_due(key: OrderKey) -> bool:
    return bool(key.order) and not is_brought_at(key)


def _step_of(entry: _Entry) -> tuple[Any, ...]:
    """What is equal for an input and the matches it brought, and for nothing else."""
    key, rank, _ = entry
    return key if rank == 3 or _is_due(key) else (key.at, key.sequence)


def _has(what: Any, name: str) -> bool:
    return isinstance(what, dict) and name in what


def _in_name(automation: Automation) -> Automation:
    """An automation of another gate: here in name, and off."""
    definition = automation.definition
    return attrs.evolve(
        automation,
        definition=AutomationDefinition(
            title=definition.title, message=definition.message, enabled=False
        ),
    )
