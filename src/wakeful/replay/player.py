"""A replay: recorded inputs and automations in, matches and decisions out, one by one.

Time goes on from deadline to deadline before each input is fed, which is the engine's own
:meth:`~wakeful.Engine.stream`: a log with a long gap in it is never one long list.

What a replay lets go by that a host would refuse: a trigger type that nothing declares. A log
rarely holds the plugins of the host it was recorded on, so such a type is taken as
registered, with the events that triggers name, and anyone may fire it. A record that
registers the type takes its place.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, tzinfo
from typing import Final

import attrs

from wakeful.core.engine import Engine
from wakeful.core.settings import RunTime, Settings
from wakeful.errors import InputRefusedError
from wakeful.logs.report import LogReport
from wakeful.model.automations import Automation
from wakeful.model.events import DefinitionSaved, Input, Tick, TypeRegistered, TypeRemoved
from wakeful.model.outputs import Output
from wakeful.model.time import Instant
from wakeful.model.triggers import PluginTrigger, TriggerEvent, TriggerType
from wakeful.reading import DeclaredType
from wakeful.replay.summary import Summary, Waiting
from wakeful.replay.tally import Tally

DEFAULTS: Final = Settings(unmet="every", run_time="none")
"""A replay's settings: owners see every session until a change of grants names them, and a run
is over before the next match is decided."""

_AT_ONCE: Final = 256
"""How many inputs are counted together: one by one it would cost twice as much."""

_TYPED: Final = frozenset({DefinitionSaved, TypeRegistered})
"""The inputs that have to do with plugin types."""


class Replay:
    """One replay, and what it came to so far.

    Args:
        automations: In the order in which they were defined.
        types: The plugin types that are declared.
        settings: The engine's settings; left out, :data:`DEFAULTS`.
        at: The instant to begin at, where no input tells one.
        until: Feed inputs up to this instant, and let time go on to it after the last.
        refused: Told of each input that the engine refuses, which is passed over.

    Attributes:
        automations: Those it was made with.
        begins_at: The instant it was told to begin at.
        engine: The engine that is fed.
    """

    def __init__(  # noqa: PLR0913 - all but the first are named
        self,
        automations: Iterable[Automation],
        *,
        types: Iterable[DeclaredType] = (),
        settings: Settings | None = None,
        at: Instant | None = None,
        until: Instant | None = None,
        refused: Callable[[Input, InputRefusedError], None] | None = None,
    ) -> None:
        self.automations = tuple(automations)
        self._types = tuple(types)
        self.begins_at = at
        self._until = until
        self._tally = Tally()
        self._uncounted: list[Input] = []
        # Types that nothing declares, and the events they are taken to have.
        self._taken: dict[str, frozenset[str]] = {}
        self._registered: set[str] = {each.definition.type for each in self._types}
        self._begun = False
        self._tell_refused = refused
        self.engine = Engine(self.automations, at=at, settings=settings or DEFAULTS)

    def outputs(self, inputs: Iterable[Input]) -> Iterator[Output]:
        """Feed the inputs and give the outputs, in order, as they come.

        Memory does not grow with the length of the log. Stopping early leaves the replay as
        it is after the last output that was taken.
        """
        tally = self._tally
        stream = self.engine.stream(self._prepared(inputs), refused=self._refused)
        for output in stream:
            tally.output(output)
            yield output
        self._count()
        if self._until is not None:
            tally.advanced(self._until)

    def _count(self) -> None:
        """Count the inputs that were handed to the engine since."""
        self._tally.inputs(self._uncounted)
        self._uncounted.clear()

    def _refused(self, error: InputRefusedError) -> None:
        self._tally.refused(str(error))
        if self._tell_refused is not None and self._uncounted:
            self._tell_refused(self._uncounted[-1], error)

    def _prepared(self, inputs: Iterable[Input]) -> Iterator[Input]:
        """The inputs that are fed, with those that mind plugin types put in where they belong."""
        until, uncounted = self._until, self._uncounted
        if self.begins_at is not None:
            yield from self._begin(self.begins_at)
        for given in inputs:
            if until is not None and given.at > until:
                break
            if not self._begun:
                yield from self._begin(given.at)
            if type(given) in _TYPED:
                yield from self._prepare(given)
            if len(uncounted) >= _AT_ONCE:
                self._count()
            uncounted.append(given)
            yield given
        if until is not None:
            yield Tick(until)

    def summary(self, *, read: LogReport | None = None, zone: tzinfo = UTC) -> Summary:
        """What came of it so far, and what waits.

        Args:
            read: What reading the log came to.
            zone: The zone whose hours the cap is told in.
        """
        self._count()
        return self._tally.summary(waiting=self._waiting(), read=read, zone=zone)

    def _prepare(self, given: Input) -> Iterator[Input]:
        """Mind the types before an input that may name or register one."""
        if type(given) is DefinitionSaved:
            yield from self._take_types((given.automation,), given.at)
        elif type(given) is TypeRegistered:
            self._registered.add(given.definition.type)
            if self._taken.pop(given.definition.type, None) is not None:
                yield TypeRemoved(type=given.definition.type, at=given.at)

    def _begin(self, at: Instant) -> Iterator[Input]:
        """Register the declared types, and take those that are named and not declared."""
        self._begun = True
        for each in self._types:
            yield TypeRegistered(definition=each.definition, by=each.by, at=at)
        yield from self._take_types(self.automations, at)

    def _take_types(self, automations: Iterable[Automation], at: Instant) -> Iterator[Input]:
        for type_, events in _named_types(automations).items():
            if type_ in self._registered:
                continue
            taken = self._taken.get(type_, frozenset())
            if events <= taken:
                continue
            if taken:
                yield TypeRemoved(type=type_, at=at)
            self._taken[type_] = taken | events
            definition = TriggerType(
                type=type_,
                title=type_,
                events=tuple(TriggerEvent(id=each, title=each) for each in sorted(taken | events)),
            )
            yield TypeRegistered(definition=definition, at=at)

    def _waiting(self) -> Iterator[Waiting]:
        for each in self.engine.pending():
            yield Waiting(
                what=each.what or each.kind,
                automation=each.automation,
                trigger=each.trigger,
                preset=each.preset,
                session=each.session,
                deadline=each.deadline,
                count=each.count,
                event=each.event,
                awaited=each.awaited,
            )


def replay(
    inputs: Iterable[Input],
    automations: Iterable[Automation],
    *,
    run_time: RunTime = "none",
    until: Instant | None = None,
    types: Iterable[DeclaredType] = (),
) -> Iterator[Output]:
    """Replay inputs against automations: the outputs, in order, as they come.

    For what it all came to, keep a :class:`Replay` and ask it for its summary.

    Args:
        inputs: In the order of the log, such as a stream of :func:`wakeful.open_logs`.
        automations: In the order in which they were defined.
        run_time: How long runs last: milliseconds, ``log`` for until a record settles them,
            ``none`` for not past the next match.
        until: Feed inputs up to this instant, and let time go on to it after the last.
        types: The plugin types that are declared.
    """
    settings = attrs.evolve(DEFAULTS, run_time=run_time)
    return Replay(automations, types=types, settings=settings, until=until).outputs(inputs)


def _named_types(automations: Iterable[Automation]) -> dict[str, frozenset[str]]:
    """The plugin types that triggers name, each with all the events named of it."""
    named: dict[str, frozenset[str]] = {}
    for automation in automations:
        for trigger in automation.definition.triggers:
            if isinstance(trigger, PluginTrigger):
                events = named.get(trigger.type, frozenset())
                named[trigger.type] = events | frozenset(trigger.events)
    return named
