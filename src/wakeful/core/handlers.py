"""What each kind of input does, but session events, whose way is the engine's own.

A handler takes the input, the instant it is taken at and its number, and gives what follows
from it. What may not be fed is found by a check, before anything that was due is done; so
an input that is refused leaves no trace.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, get_args

from wakeful.core.admission import definition_problems
from wakeful.core.parts import Parts
from wakeful.core.refusals import refuse
from wakeful.core.sight import GrantSight
from wakeful.errors import Problem
from wakeful.model.automations import Automation
from wakeful.model.events import (
    Activity,
    DefinitionRemoved,
    DefinitionSaved,
    Facts,
    GrantsChanged,
    PluginEvent,
    Press,
    Resumed,
    RunLinked,
    RunOutcome,
    RunSettled,
    RunStarted,
    SessionEnded,
    SteerFailed,
    Tick,
    TurnStarted,
    TypeRegistered,
    TypeRemoved,
)
from wakeful.model.outputs import Match, OrderKey, Output
from wakeful.model.time import MAX_INSTANT, MIN_INSTANT, Instant
from wakeful.model.triggers import TriggerType
from wakeful.plugins import is_within

Handler: TypeAlias = Callable[..., Sequence[Output]]
Check: TypeAlias = Callable[..., Iterable[Problem]]

_NOTHING: Sequence[Output] = ()


class Handlers:
    """The handlers over an engine's parts.

    Attributes:
        handlers: Input class to its handler.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._matcher = parts.matcher
        self._gate = parts.gate
        self.handlers: dict[type, Handler] = {
            TurnStarted: self._turn_started,
            Activity: self._activity,
            SessionEnded: self._session_ended,
            PluginEvent: self._plugin_event,
            RunStarted: self._run_started,
            RunLinked: self._run_linked,
            RunSettled: self._run_settled,
            SteerFailed: self._steer_failed,
            Press: self._press,
            DefinitionSaved: self._definition_saved,
            DefinitionRemoved: self._definition_removed,
            TypeRegistered: self._type_registered,
            TypeRemoved: self._type_removed,
            GrantsChanged: self._grants_changed,
            Resumed: self._resumed,
            Tick: self._tick,
        }
        self._checks: dict[type, Check] = {
            TurnStarted: _check_session,
            Activity: _check_session,
            SessionEnded: _check_session,
            RunStarted: _check_run,
            RunLinked: _check_run,
            RunSettled: _check_run,
            SteerFailed: _check_run,
            Press: self._check_press,
            DefinitionSaved: self._check_definition,
            DefinitionRemoved: _check_automation,
            PluginEvent: self._check_fire,
            TypeRegistered: self._check_type,
            GrantsChanged: _check_grants,
            Resumed: _check_live,
        }

    def check(self, given: Any) -> None:
        """Refuse what is no input, or may not be taken, before anything is done.

        Raises:
            InputRefusedError: It is refused; nothing has changed.
        """
        form = type(given)
        if (
            form not in self.handlers
            or type(given.at) is not int
            or not MIN_INSTANT <= given.at <= MAX_INSTANT
        ):
            raise refuse(given)
        check = self._checks.get(form)
        problems = () if check is None else tuple(check(given))
        if problems:
            raise refuse(given, problems)

    def _turn_started(self, turn: TurnStarted, at: Instant, seq: int) -> Sequence[Output]:
        self._matcher.turn_started(turn, at, seq)
        return _NOTHING

    def _activity(self, activity: Activity, at: Instant, seq: int) -> Sequence[Output]:
        self._matcher.activity(activity, at, seq)
        return _NOTHING

    def _session_ended(self, ended: SessionEnded, at: Instant, seq: int) -> Sequence[Output]:
        session = ended.session
        if self._matcher.session_ended(session) and session in self._gate.chats:
            return self._gated(self._gate.turn_over(session, _fed(at, seq)))
        return _NOTHING

    def _plugin_event(self, event: PluginEvent, at: Instant, seq: int) -> Sequence[Output]:
        out: list[Output] = []
        for found in self._parts.plugin_events.fire(event, at, seq):
            out.append(found)
            if isinstance(found, Match):
                out += self._gate.decide(found)
        return self._gated(out)

    def _run_started(self, record: RunStarted, at: Instant, seq: int) -> Sequence[Output]:
        return self._gated(self._gate.run_started(record, _fed(at, seq)))

    def _run_linked(self, record: RunLinked, at: Instant, seq: int) -> Sequence[Output]:
        return self._gated(self._gate.run_linked(record, _fed(at, seq)))

    def _run_settled(self, record: RunSettled, at: Instant, seq: int) -> Sequence[Output]:
        return self._gated(self._gate.run_settled(record, _fed(at, seq)))

    def _steer_failed(self, record: SteerFailed, at: Instant, seq: int) -> Sequence[Output]:
        return self._gated(self._gate.steer_failed(record, _fed(at, seq)))

    def _press(self, press: Press, at: Instant, seq: int) -> Sequence[Output]:
        return self._gated(self._gate.press(press, _fed(at, seq)))

    def _definition_saved(self, saved: DefinitionSaved, at: Instant, seq: int) -> Sequence[Output]:
        return self._parts.save(saved.automation, _fed(at, seq))

    def _definition_removed(
        self, removed: DefinitionRemoved, at: Instant, seq: int
    ) -> Sequence[Output]:
        return self._parts.remove(removed.automation, _fed(at, seq))

    def _type_registered(self, item: TypeRegistered, _at: Instant, _seq: int) -> Sequence[Output]:
        self._parts.types.register(item.definition, item.by)
        self._parts.plugin_events.type_changed(item.definition.type)
        return _NOTHING

    def _type_removed(self, item: TypeRemoved, _at: Instant, _seq: int) -> Sequence[Output]:
        self._parts.types.remove(item.type)
        self._parts.plugin_events.type_changed(item.type)
        return _NOTHING

    def _grants_changed(self, item: GrantsChanged, at: Instant, seq: int) -> Sequence[Output]:
        sight = self._parts.sight
        # A sight of the host's own knows best what a change of grants changes.
        if not isinstance(sight, GrantSight) or sight.change(item.principal, item.grants):
            self._matcher.upkeep.sight_changed(item.principal, at, seq)
        return _NOTHING

    def _resumed(self, resumed: Resumed, at: Instant, seq: int) -> Sequence[Output]:
        return self._gated(self._gate.interrupted(resumed.live, _fed(at, seq)))

    def _tick(self, _tick: Tick, _at: Instant, _seq: int) -> Sequence[Output]:
        self._matcher.upkeep.sweep()
        return _NOTHING

    def _check_definition(self, saved: DefinitionSaved) -> Iterable[Problem]:
        automation: object = saved.automation
        if not isinstance(automation, Automation):
            return (_wrong("automation", automation, "an Automation"),)
        return definition_problems(saved.automation, self._parts.types)

    def _check_fire(self, event: PluginEvent) -> Iterable[Problem]:
        most = self._parts.settings.limits.data
        if not is_within(event.data, most):
            expected = f"data of at most {most} values and characters"
            message = f"is too large; expected {expected}"
            return [Problem(path="data", value="…", expected=expected, message=message)]
        refusals = self._parts.types.check_fire(event.type, event.event, event.data, event.by)
        return (refusal.problem for refusal in refusals)

    def _check_press(self, press: Press) -> Iterable[Problem]:
        yield from _texts(press, ("automation", "request_id"))
        given: object = press.request_id
        most = self._parts.settings.limits.request
        if isinstance(given, str) and len(given) > most:
            expected = f"at most {most} characters"
            message = f"{len(given)} characters; expected {expected}"
            yield Problem(path="request_id", value="…", expected=expected, message=message)

    def _check_type(self, item: TypeRegistered) -> Iterable[Problem]:
        definition: object = item.definition
        if not isinstance(definition, TriggerType):
            return (_wrong("definition", definition, "a TriggerType"),)
        return self._parts.types.problems_of(item.definition, item.by)

    def _gated(self, outputs: Sequence[Output]) -> Sequence[Output]:
        self._parts.after_gate()
        return outputs


def _check_session(item: TurnStarted | Activity | SessionEnded) -> Iterable[Problem]:
    if type(item.session) is not str:
        return (_wrong("session", item.session, "a text"),)
    if type(item) is TurnStarted and type(item.facts) is not Facts:
        return (_wrong("facts", item.facts, "Facts"),)
    return ()


def _check_run(
    record: RunStarted | RunLinked | RunSettled | SteerFailed,
) -> Iterable[Problem]:
    yield from _texts(record, ("automation", "run"))
    if isinstance(record, RunLinked) or (
        isinstance(record, RunStarted) and record.session is not None
    ):
        yield from _texts(record, ("session",))
    if isinstance(record, RunSettled) and record.outcome not in get_args(RunOutcome):
        expected = f"one of {', '.join(get_args(RunOutcome))}"
        yield _wrong("outcome", record.outcome, expected)


def _check_automation(removed: DefinitionRemoved) -> Iterable[Problem]:
    return _texts(removed, ("automation",))


def _check_grants(changed: GrantsChanged) -> Iterable[Problem]:
    yield from _texts(changed, ("principal",))
    yield from _all_texts("grants", changed.grants)


def _check_live(resumed: Resumed) -> Iterable[Problem]:
    return () if resumed.live is None else _all_texts("live", resumed.live)


def _texts(item: object, names: Iterable[str]) -> Iterable[Problem]:
    for name in names:
        value = getattr(item, name)
        if not isinstance(value, str):
            yield _wrong(name, value, "a text")


def _all_texts(name: str, values: object) -> Iterable[Problem]:
    if not isinstance(values, tuple | list) or not all(isinstance(one, str) for one in values):
        yield _wrong(name, values, "a list of texts")


def _wrong(name: str, value: object, expected: str) -> Problem:
    return Problem(path=name, value=value, expected=expected)


def _fed(at: Instant, seq: int) -> OrderKey:
    return OrderKey(at, 1, 0, seq, ())
