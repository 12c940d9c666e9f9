"""What a runner counts and measures, as a record, for Prometheus, and for OpenTelemetry."""

import asyncio
import json

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from prometheus_client import CollectorRegistry, generate_latest

from hosting.hosting_world import AT, HOUR, MINUTE, Wakes, automation, engine_of, failed
from wakeful.hosting import HandlerLimits, Runner
from wakeful.hosting.metrics import BOUNDS, DecisionName, Distribution, RuleName
from wakeful.hosting.opentelemetry import OpenTelemetryObserver
from wakeful.hosting.prometheus import MetricsCollector
from wakeful.testing import VirtualClock

A = "ahp-automation:/a"


def scene(*, handler=None, observers=(), then=None):
    """Two failures, the second 3 s late; the second wake finds the first going."""

    async def run():
        clock = VirtualClock(AT)
        async with Runner(
            engine_of(automation(overlap="skip"), run_time="log"),
            handler or Wakes(),
            clock=clock,
            observers=observers,
            trouble=lambda trouble: None,
            limits=HandlerLimits(seconds=5),
        ) as r:
            await r.feed(failed(AT))
            await clock.advance(3_000)
            await r.feed(failed(AT))
            await r.drained()
            if then is not None:
                await then(r, clock)
            return r.metrics()

    return asyncio.run(run())


def test_inputs_matches_and_decisions_are_counted_by_name():
    metrics = scene()

    assert metrics.inputs == {"toolFailed": 2}
    assert metrics.matches == {RuleName(A, "t", None): 2}
    assert metrics.decisions == {
        DecisionName(A, "t", "start", None): 1,
        DecisionName(A, "t", "drop", "skipped"): 1,
    }
    assert metrics.handled == {"done": 1}


def test_lag_is_from_an_input_s_instant_to_when_it_is_taken():
    lag = scene().lag

    assert (lag.count, lag.longest, lag.total) == (2, 3.0, 3.0)


def test_lateness_is_from_a_decision_s_instant_to_when_it_is_made():
    async def sleep(runner, clock):
        clock.step(HOUR)
        await clock.advance(MINUTE)

    assert scene(then=sleep).sleeps == 1
    assert scene().lateness.longest == 3.0


def test_what_the_engine_holds_is_told():
    assert (scene().engine.sessions, scene().engine.rules) == (1, 1)


def test_handlers_that_fail_are_counted_by_how():
    async def raises(decision):
        raise OSError

    metrics = scene(handler=raises)
    assert (metrics.handled, metrics.troubles) == ({"raised": 2}, {"raised": 2})


def test_a_record_of_metrics_is_plain_data():
    plain = json.loads(json.dumps(scene().to_dict()))

    assert plain["decisions"][1] == {
        "automation": A,
        "trigger": "t",
        "decision": "drop",
        "reason": "skipped",
        "count": 1,
    }
    assert plain["lag"]["total"] == 3.0


@pytest.mark.parametrize(
    ("counts", "share", "seconds"),
    [
        ({0: 99, 3: 1}, 0.99, 0.001),
        ({0: 98, 3: 2}, 0.99, 0.01),
        ({len(BOUNDS): 1}, 0.5, 90.0),
        ({}, 0.99, 0.0),
    ],
)
def test_a_quantile_is_a_bucket_s_bound(counts, share, seconds):
    told = tuple(counts.get(place, 0) for place in range(len(BOUNDS) + 1))
    longest = 90.0 if counts else 0.0

    assert Distribution(counts=told, total=0.0, longest=longest).quantile(share) == seconds


def test_prometheus_is_told_all_of_it():
    async def scrape(runner, clock):
        registry = CollectorRegistry()
        registry.register(MetricsCollector(runner.metrics))
        texts.append(generate_latest(registry).decode())

    texts = []
    scene(then=scrape)
    (text,) = texts

    for line in (
        'wakeful_inputs_total{kind="toolFailed"} 2.0',
        f'wakeful_matches_total{{automation="{A}",preset="",trigger="t"}} 2.0',
        f'wakeful_decisions_total{{automation="{A}",decision="drop",reason="skipped",trigger="t"}} 1.0',
        'wakeful_wakes_handled_total{outcome="done"} 1.0',
        "wakeful_sessions 1.0",
        "wakeful_lag_seconds_count 2.0",
        "wakeful_lag_seconds_sum 3.0",
        'wakeful_lag_seconds_bucket{le="2.5"} 1.0',
        'wakeful_lag_seconds_bucket{le="+Inf"} 2.0',
    ):
        assert line in text.splitlines()


class TestOpenTelemetry:
    def observed(self, **how):
        reader, spans = InMemoryMetricReader(), InMemorySpanExporter()
        tracing = TracerProvider()
        tracing.add_span_processor(SimpleSpanProcessor(spans))
        observer = OpenTelemetryObserver(
            MeterProvider([reader]).get_meter("t"), tracing.get_tracer("t")
        )
        scene(observers=[observer], **how)
        (resource,) = reader.get_metrics_data().resource_metrics
        (scope,) = resource.scope_metrics
        points = {metric.name: list(metric.data.data_points) for metric in scope.metrics}
        return points, spans.get_finished_spans(), tracing

    def test_counts_and_measures(self):
        points, _, _ = self.observed()
        decisions = {one.attributes["decision"]: one.value for one in points["wakeful.decisions"]}

        assert decisions == {"start": 1, "drop": 1}
        assert (points["wakeful.lag"][0].count, points["wakeful.lag"][0].sum) == (2, 3.0)

    def test_a_wake_is_a_span(self):
        _, (span,), _ = self.observed()

        assert span.name == "wake start"
        assert span.attributes["wakeful.automation"] == A
        assert span.attributes["wakeful.outcome"] == "done"

    def test_what_a_handler_traces_is_below_its_wake(self):
        provider = TracerProvider()

        async def handler(decision):
            with provider.get_tracer("mine").start_as_current_span("mine") as span:
                parents.append(span.parent.span_id)

        parents = []
        _, (wake,), _ = self.observed(handler=handler)

        assert parents == [wake.context.span_id]

    def test_a_handler_that_raises_is_an_error(self):
        async def raises(decision):
            raise OSError

        _, spans, _ = self.observed(handler=raises)

        assert [span.status.status_code for span in spans] == [StatusCode.ERROR] * 2
