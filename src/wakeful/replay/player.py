"""A replay: recorded inputs and automations in, matches and decisions out, one by one.

Time goes on from deadline to deadline before each input is fed, which is the engine's own
:meth:`~wakeful.Engine.stream`: a log with a long gap in it is never one long list.

What a replay lets go by that a host would refuse: a trigger type that nothing declares. A log
rarely holds the plugins of the host it was recorded on, so such a type is taken as
registered, with the events that triggers name, and anyone may fire it. A record that
registers the type takes its place.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, tzinfo
from operator import length_hint
from typing import Final, Protocol, runtime_checkable

import attrs

from wakeful.core.engine import Engine
from wakeful.core.overflow import Overflow
from wakeful.core.settings import RunTime, Settings
from wakeful.core.statistics import Pending
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

DEFAULTS: Final = Settings(unmet="every", run_time="none", runs_kept=100)
"""A replay's settings: owners see every session until a change of grants names them, a run
is over before the next match is decided, and fewer runs that are over are kept, since nobody
asks a replay about them."""

_AT_ONCE: Final = 256
"""How many inputs of a list are fed and counted together."""

_TYPED: Final = frozenset({DefinitionSaved, TypeRegistered})
"""The inputs that have to do with plugin types."""


@runtime_checkable
class InBatches(Protocol):
    """Inputs that come in batches."""

    def batches(self) -> Iterator[Sequence[Input]]:
        """The batches, in order."""


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
        # What the engine is being fed, what of it is to come, and how much of it was counted.
        self._piece: Sequence[Input] = ()
        self._rest: Iterator[Input] = iter(self._piece)
        self._told = 0
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

        Args:
            inputs: Fastest where they come in batches, as :class:`~wakeful.logs.LogStream`
                gives them, or as a list; of others each output comes with its input.
        """
        tally = self._tally
        for fed in self._fed(inputs):
            for output in self.engine.stream(fed, refused=self._refused):
                tally.output(output)
                yield output
        self._count()
        if self._until is not None:
            tally.advanced(self._until)

    def _fed(self, inputs: Iterable[Input]) -> Iterator[Iterable[Input]]:
        """What is fed, piece by piece, with what minds plugin types put in where it belongs."""
        until = self._until
        if self.begins_at is not None:
            yield self._begin(self.begins_at)
        for piece in _pieces(inputs):
            given, is_last = piece, False
            if until is not None:
                within = next((n for n, one in enumerate(piece) if one.at > until), None)
                given, is_last = piece[:within], within is not None
            if given and not self._begun:
                yield self._begin(given[0].at)
            if _TYPED.isdisjoint(map(type, given)):
                yield self._counted(given)
            else:
                for one in given:
                    if isinstance(one, DefinitionSaved | TypeRegistered):
                        yield self._prepare(one)
                    yield self._counted((one,))
            if is_last:
                break
        if until is not None:
            yield (Tick(until),)

    def _counted(self, piece: Sequence[Input]) -> Iterator[Input]:
        """A piece to be fed; its inputs are counted once they were handed to the engine."""
        self._count()
        self._piece, self._rest, self._told = piece, iter(piece), 0
        return self._rest

    def _count(self) -> None:
        """Count what was handed to the engine since it was done last."""
        handed = self._handed()
        self._tally.inputs(self._piece[self._told : handed])
        self._told = handed

    def _handed(self) -> int:
        """How many inputs of the piece were handed to the engine."""
        return len(self._piece) - length_hint(self._rest)

    def _refused(self, error: InputRefusedError) -> None:
        self._tally.refused(str(error))
        if self._tell_refused is not None and self._piece:
            self._tell_refused(self._piece[self._handed() - 1], error)

    def summary(self, *, read: LogReport | None = None, zone: tzinfo = UTC) -> Summary:
        """What came of it so far, and what waits.

        Args:
            read: What reading the log came to.
            zone: The zone whose hours the cap is told in.
        """
        self._count()
        overflow = attrs.asdict(self._overflow())
        let_go = {what: number for what, number in overflow.items() if number}
        return self._tally.summary(waiting=self._waiting(), let_go=let_go, read=read, zone=zone)

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

    def _pending(self) -> Iterable[Pending]:
        return self.engine.pending()

    def _overflow(self) -> Overflow:
        return self.engine.overflow

    def _waiting(self) -> Iterator[Waiting]:
        for each in self._pending():
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


def _pieces(inputs: Iterable[Input]) -> Iterator[Sequence[Input]]:
    """The inputs, as many at once as are there without waiting for more."""
    if isinstance(inputs, InBatches):
        yield from inputs.batches()
    elif isinstance(inputs, list | tuple):
        for start in range(0, len(inputs), _AT_ONCE):
            yield inputs[start : start + _AT_ONCE]
    else:
        for one in inputs:
            yield (one,)


def _named_types(automations: Iterable[Automation]) -> dict[str, frozenset[str]]:
    """The plugin types that triggers name, each with all the events named of it."""
    named: dict[str, frozenset[str]] = {}
    for automation in automations:
        for trigger in automation.definition.triggers:
            if isinstance(trigger, PluginTrigger):
                events = named.get(trigger.type, frozenset())
                named[trigger.type] = events | frozenset(trigger.events)
    return named
