"""A runner's metrics and traces for OpenTelemetry; needs the extra ``opentelemetry``.

runner = Runner(engine, handler, observers=[OpenTelemetryObserver()])
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from opentelemetry import metrics, trace
from opentelemetry.trace import Span, Status, StatusCode

from wakeful.hosting.metrics import decision_name
from wakeful.hosting.observing import Handled, Observer
from wakeful.hosting.troubles import Trouble
from wakeful.logs.words import input_kind
from wakeful.model.events import Input
from wakeful.model.outputs import Decision, Fault, Match, Output
from wakeful.model.time import SECOND, Instant

_NAME = "wakeful"


class OpenTelemetryObserver(Observer):
    """Counts, measures and traces; each wake's handling is a span, its handler's own below it.

    Args:
        meter: The global provider's where left out.
        tracer: The global provider's where left out.
    """

    def __init__(
        self, meter: metrics.Meter | None = None, tracer: trace.Tracer | None = None
    ) -> None:
        meter = metrics.get_meter(_NAME) if meter is None else meter
        self._tracer = trace.get_tracer(_NAME) if tracer is None else tracer
        self._spans: dict[tuple[str, object], Span] = {}
        self._inputs = meter.create_counter("wakeful.inputs", description="Inputs taken")
        self._matches = meter.create_counter("wakeful.matches", description="Matches by rule")
        self._decisions = meter.create_counter(
            "wakeful.decisions", description="Decisions by trigger, word and reason"
        )
        self._faults = meter.create_counter("wakeful.faults", description="Raised by plugins")
        self._wakes = meter.create_counter("wakeful.wakes.handled", description="Wakes handed over")
        self._troubles = meter.create_counter("wakeful.troubles", description="What went wrong")
        self._sleeps = meter.create_counter("wakeful.sleeps", description="Sleeps noticed")
        self._lag = meter.create_histogram("wakeful.lag", "s", "From an input's instant")
        self._lateness = meter.create_histogram(
            "wakeful.lateness", "s", "From a decision's instant"
        )
        self._waited = meter.create_histogram("wakeful.wake.wait", "s", "From decision to handler")
        self._took = meter.create_histogram("wakeful.handler", "s", "Length of handlers' work")

    def took(self, item: Input, *, now: Instant) -> None:
        """Count an input, and how long it was on its way."""
        self._inputs.add(1, {"kind": input_kind(item)})
        self._lag.record(max(now - item.at, 0) / SECOND)

    def gave(self, output: Output, *, now: Instant) -> None:
        """Count an output, and how late a decision is."""
        if isinstance(output, Match):
            rule = {"automation": output.automation, "trigger": output.trigger}
            self._matches.add(
                1, rule if output.preset is None else rule | {"preset": output.preset}
            )
        elif isinstance(output, Fault):
            self._faults.add(1, {"automation": output.automation, "trigger": output.trigger})
        else:
            name = decision_name(output)._asdict()
            self._decisions.add(1, {key: part for key, part in name.items() if part is not None})
            self._lateness.record(max(now - output.at, 0) / SECOND)

    def looked(self, now: Instant, *, slept: bool) -> None:  # noqa: ARG002 - the observer's
        """Count a sleep."""
        if slept:
            self._sleeps.add(1)

    def handling(self, decision: Decision) -> AbstractContextManager[object]:
        """A span around a handler's work."""
        return self._span(decision)

    @contextmanager
    def _span(self, decision: Decision) -> Iterator[None]:
        attributes = {
            "wakeful.automation": decision.automation,
            "wakeful.decision": decision.kind.value,
            **({} if decision.trigger is None else {"wakeful.trigger": decision.trigger}),
            **({} if decision.session is None else {"wakeful.session": decision.session}),
            **({} if decision.run is None else {"wakeful.run": decision.run}),
        }
        span = self._tracer.start_span(f"wake {decision.kind.value}", attributes=attributes)
        self._spans[decision.automation, decision.key] = span
        with trace.use_span(span, end_on_exit=False):
            yield

    def handled(self, handled: Handled) -> None:
        """End the span, with what became of the wake."""
        self._wakes.add(1, {"outcome": handled.outcome})
        self._waited.record(max(handled.waited, 0.0))
        self._took.record(max(handled.took, 0.0))
        span = self._spans.pop((handled.decision.automation, handled.decision.key), None)
        if span is not None:
            span.set_attribute("wakeful.outcome", handled.outcome)
            if handled.outcome != "done":
                span.set_status(Status(StatusCode.ERROR, handled.outcome))
            span.end()

    def troubled(self, trouble: Trouble) -> None:
        """Count what went wrong."""
        self._troubles.add(1, {"kind": trouble.kind})
