"""The entries: what is in the catalogue, kept in step with the store, the engine and clients.

An entry changes in one order: the store keeps it, the engine takes it, everybody is told.
What the engine does of its own (an occurrence that moved on, an allowance that was used up,
a date that passed) is found by :meth:`Entries.refresh` after the step that did it.
"""

from collections.abc import Iterable
from typing import Any, Final

import attrs
from sortedcontainers import SortedSet

from wakeful.catalogue import names, refusals
from wakeful.catalogue.broadcasting import Asking, Broadcast
from wakeful.catalogue.converting import write
from wakeful.catalogue.definitions import Definition
from wakeful.catalogue.drafts import Draft, with_pinned_session
from wakeful.catalogue.ledger import Ledger
from wakeful.catalogue.states import AutomationState, CatalogState
from wakeful.catalogue.store import Kept, Progress, Store, StoreError
from wakeful.core.engine import Engine
from wakeful.model.automations import AfterDate, Automation
from wakeful.model.events import DefinitionRemoved, DefinitionSaved
from wakeful.model.outputs import Output
from wakeful.model.time import Instant, format_instant
from wakeful.model.triggers import PluginTrigger, ScheduleTrigger
from wakeful.plugins import TypeRegistry
from wakeful.reading.checks import OWNER_NOTE

PAGE: Final = 20
"""How many runs an entry shows, and how many more each fetch brings into view."""


@attrs.define(eq=False, kw_only=True)
class Entry:
    """One automation.

    Attributes:
        automation: What the definition means.
        fed: What the engine was given: without triggers that nothing here can fire.
        shown: How many of its runs are in view.
        is_kept: Whether the store has it as it is; where not, the next step tries again.
        state: As it was last told.
        sent: The wire form of that, which whoever gets a snapshot shares.
    """

    resource: str
    definition: Definition
    automation: Automation
    fed: Automation
    created_at: Instant
    modified_at: Instant
    shown: int = PAGE
    progress: Progress = attrs.field(factory=Progress)
    is_kept: bool = True
    state: AutomationState | None = None
    sent: dict[str, Any] = attrs.field(factory=dict)

    @property
    def owner(self) -> str | None:
        """Whose it is."""
        return self.automation.owner

    def kept(self) -> Kept:
        """As a store keeps it."""
        return Kept(
            resource=self.resource,
            definition=self.definition,
            created_at=self.created_at,
            modified_at=self.modified_at,
            progress=self.progress,
        )


class Entries:
    """Every automation of the catalogue, in the order of definition."""

    def __init__(
        self,
        *,
        store: Store,
        types: TypeRegistry,
        ledger: Ledger,
        broadcast: Broadcast,
    ) -> None:
        self._store = store
        self._types = types
        self._ledger = ledger
        self._broadcast = broadcast
        self._engine: Engine
        self._all: dict[str, Entry] = {}
        self._dates: SortedSet[tuple[Instant, str]] = SortedSet()

    # What is there

    def find(self, resource: str) -> Entry | None:
        """The automation of that resource."""
        return self._all.get(resource)

    def __getitem__(self, resource: str) -> Entry:
        return self._all[resource]

    def snapshot(self, owner: str | None = None, *, own: bool) -> dict[str, Any]:
        """The catalogue's state, or the part of it that an owner owns. O(automations).

        The entries are those that were told, not copies.
        """
        whole = write(CatalogState(automations=()))
        (member,) = whole
        whole[member] = [
            entry.sent
            for entry in self._all.values()
            if not own or (owner is not None and entry.owner == owner)
        ]
        return whole

    # Writing

    def load(self, drafts: Iterable[tuple[Kept, Draft]]) -> list[Automation]:
        """Take what a store kept; what the engine is to begin with."""
        for kept, draft in drafts:
            self._all[kept.resource] = Entry(
                resource=kept.resource,
                definition=draft.definition,
                automation=draft.automation,
                fed=self._for_engine(draft.automation),
                created_at=kept.created_at,
                modified_at=kept.modified_at,
                progress=kept.progress,
            )
        return [entry.fed for entry in self._all.values()]

    def begin(self, engine: Engine) -> None:
        """The engine has taken what was loaded."""
        self._engine = engine
        for entry in self._all.values():
            self._date(entry)
            self.refresh(entry.resource)

    def save(
        self, draft: Draft, *, at: Instant, asking: Asking | None, action: dict[str, Any]
    ) -> list[Output]:
        """Keep a definition, new or changed; what the engine makes of it.

        The request is told before its result, and the result also where nothing changed.

        Raises:
            RefusedError: The store cannot keep it; nothing has changed.
        """
        resource = draft.automation.resource
        before = self._all.get(resource)
        same = before is not None and before.definition == draft.definition
        entry = Entry(
            resource=resource,
            definition=draft.definition,
            automation=draft.automation,
            fed=self._for_engine(draft.automation),
            created_at=at if before is None else before.created_at,
            modified_at=before.modified_at if before is not None and same else at,
            shown=PAGE if before is None else before.shown,
            progress=Progress() if before is None else before.progress,
        )
        if not same:
            self._keep(entry)
        outputs = self._engine.feed(DefinitionSaved(automation=entry.fed, at=at))
        self._all[resource] = entry
        self._date(entry)
        if asking is not None:
            self._broadcast.tell(action, owner=entry.owner, asking=asking)
        if before is not None and before.owner != entry.owner:
            gone = {"type": names.REMOVED, "resource": resource}
            self._broadcast.tell(gone, owner=entry.owner, audience="filtered")
        self.refresh(resource)
        return outputs

    def tell_again(self, entry: Entry, asking: Asking, action: dict[str, Any]) -> None:
        """A request asked for what is there already: it is answered with the entry."""
        self._broadcast.tell(action, owner=entry.owner, asking=asking)
        self.refresh(entry.resource, again=True)

    def remove(
        self, entry: Entry, *, at: Instant, asking: Asking | None, action: dict[str, Any]
    ) -> list[Output]:
        """Take an automation out. Its runs that are going go on.

        Raises:
            RefusedError: The store cannot let go of it; nothing has changed.
        """
        try:
            self._store.remove(entry.resource)
        except StoreError as error:
            raise refusals.RefusedError(str(error)) from error
        outputs = self._engine.feed(DefinitionRemoved(automation=entry.resource, at=at))
        del self._all[entry.resource]
        self._ledger.forget_over(entry.resource)
        self._broadcast.tell(action, owner=entry.owner, asking=asking)
        return outputs

    def keep_chat(self, resource: str, chat: str) -> None:
        """Note the chat that a pinned automation keeps: the host's own, no change of hers.

        Where the store cannot keep it the note is lost with the process, and no more.
        """
        entry = self._all.get(resource)
        if entry is None or not entry.automation.definition.pinned:
            return
        definition = with_pinned_session(entry.definition, chat)
        if definition != entry.definition:
            entry.definition = definition
            entry.automation = attrs.evolve(
                entry.automation,
                definition=attrs.evolve(entry.automation.definition, pinned_session=chat),
            )
            self._try_to_keep(entry)

    def show_more(self, entry: Entry) -> None:
        """Bring one more page of runs into view."""
        entry.shown += PAGE
        self.refresh(entry.resource)

    def type_changed(self, type_: str, *, at: Instant) -> list[Output]:
        """A plugin's type came or went: triggers of it may be the engine's again."""
        outputs: list[Output] = []
        for entry in self._all.values():
            triggers = entry.automation.definition.triggers
            if any(isinstance(each, PluginTrigger) and each.type == type_ for each in triggers):
                fed = self._for_engine(entry.automation)
                if fed != entry.fed:
                    entry.fed = fed
                    outputs += self._engine.feed(DefinitionSaved(automation=fed, at=at))
        return outputs

    # Keeping in step

    def refresh(self, resource: str, *, again: bool = False) -> bool:
        """Find what has become of an automation, keep it and tell it if it is news.

        Args:
            resource: Which; one that is not there is no fault.
            again: Whether to tell it also where it is no news.

        Returns:
            Whether the store has kept what there was to keep.
        """
        entry = self._all.get(resource)
        if entry is None:
            return True
        self._follow_switch(entry)
        kept = self._move(entry)
        state = self._state(entry)
        if again or state != entry.state:
            entry.state = state
            entry.sent = write(state)
            action = {"type": names.SET, "automation": entry.sent}
            self._broadcast.tell(action, owner=entry.owner)
        return kept

    def pass_dates(self, now: Instant) -> None:
        """Find what an ``afterDate`` has switched off by now."""
        while self._dates and self._dates[0][0] <= now:
            self.refresh(self._dates.pop(0)[1])

    def _date(self, entry: Entry) -> None:
        for condition in entry.automation.definition.disable_conditions:
            if isinstance(condition, AfterDate):
                self._dates.add((condition.date, entry.resource))

    def _follow_switch(self, entry: Entry) -> None:
        """A disable condition was met: the definition says so from now on."""
        if not entry.definition.enabled or self._engine.is_on(entry.resource):
            return
        entry.definition = attrs.evolve(entry.definition, enabled=False)
        entry.automation = _disabled(entry.automation)
        entry.fed = _disabled(entry.fed)
        entry.modified_at = self._engine.now or entry.modified_at
        self._try_to_keep(entry)

    def _move(self, entry: Entry) -> bool:
        resource = entry.resource
        if not entry.is_kept:
            self._try_to_keep(entry)
        progress = Progress(
            run_count=self._engine.run_count(resource),
            occurrences=self._engine.occurrences_of(resource),
            going=tuple(run.resource for run in self._ledger.going(resource)),
            requests=self._ledger.requests_of(resource),
        )
        if progress == entry.progress:
            return True
        try:
            self._store.move(resource, progress)
        except StoreError:
            return False  # it stays as it was kept, so that the next step tries again
        entry.progress = progress
        return True

    def _state(self, entry: Entry) -> AutomationState:
        due = self._engine.next_run_at(entry.resource)
        runs = self._ledger.newest(entry.resource)
        shown = tuple(run.summary() for _, run in zip(range(entry.shown), runs, strict=False))
        more = self._ledger.count(entry.resource) > entry.shown
        return AutomationState(
            resource=entry.resource,
            definition=entry.definition,
            next_run_at=None if due is None else format_instant(due),
            run_count=self._engine.run_count(entry.resource),
            runs=shown,
            runs_next_cursor=str(entry.shown) if more else None,
            operations=names.OPERATIONS,
            created_at=format_instant(entry.created_at),
            modified_at=format_instant(entry.modified_at),
            meta=None if entry.owner is None else {OWNER_NOTE: entry.owner},
        )

    def _keep(self, entry: Entry) -> None:
        try:
            self._store.save(entry.kept())
        except StoreError as error:
            raise refusals.RefusedError(str(error)) from error

    def _try_to_keep(self, entry: Entry) -> None:
        try:
            self._store.save(entry.kept())
            entry.is_kept = True
        except StoreError:
            entry.is_kept = False

    def _for_engine(self, automation: Automation) -> Automation:
        """Without schedules that this store does not fire, and triggers that sleep.

        The engine holds every definition it is given to its types' schemas; a trigger that
        was saved before its type, and fails it now, wakes nothing and refuses nothing else.
        """
        triggers = tuple(
            each
            for each in automation.definition.triggers
            if not (isinstance(each, ScheduleTrigger) and not self._store.fires_schedules)
            and not (
                isinstance(each, PluginTrigger) and self._types.check(each, owner=automation.owner)
            )
        )
        if triggers == automation.definition.triggers:
            return automation
        return attrs.evolve(
            automation, definition=attrs.evolve(automation.definition, triggers=triggers)
        )


def _disabled(automation: Automation) -> Automation:
    return attrs.evolve(automation, definition=attrs.evolve(automation.definition, enabled=False))
