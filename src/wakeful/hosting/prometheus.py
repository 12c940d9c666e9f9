"""A runner's metrics for Prometheus; needs the extra ``prometheus``.

from prometheus_client import REGISTRY
REGISTRY.register(MetricsCollector(runner.metrics))
"""

from collections.abc import Callable, Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from wakeful.hosting.metrics import BOUNDS, Distribution, Metrics


class MetricsCollector(Collector):
    """Gives what a runner counted whenever Prometheus asks.

    Args:
        metrics: Such as :meth:`wakeful.hosting.Runner.metrics`; asked once a scrape.
    """

    def __init__(self, metrics: Callable[[], Metrics]) -> None:
        self._metrics = metrics

    def describe(self) -> Iterator[Metric]:
        """Nothing: to be registered does not ask for the metrics."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """All metrics, under names that begin with ``wakeful_``."""
        metrics = self._metrics()
        inputs = CounterMetricFamily("wakeful_inputs", "Inputs taken", labels=["kind"])
        for kind, count in metrics.inputs.items():
            inputs.add_metric([kind], count)
        yield inputs
        matches = CounterMetricFamily(
            "wakeful_matches", "Matches by rule", labels=["automation", "trigger", "preset"]
        )
        for rule, count in metrics.matches.items():
            matches.add_metric([rule.automation, rule.trigger, rule.preset or ""], count)
        yield matches
        decisions = CounterMetricFamily(
            "wakeful_decisions",
            "Decisions by trigger, word and reason",
            labels=["automation", "trigger", "decision", "reason"],
        )
        for name, count in metrics.decisions.items():
            decisions.add_metric([part or "" for part in name], count)
        yield decisions
        handled = CounterMetricFamily(
            "wakeful_wakes_handled", "Wakes handed over, by what became of it", labels=["outcome"]
        )
        for outcome, count in metrics.handled.items():
            handled.add_metric([outcome], count)
        yield handled
        troubles = CounterMetricFamily("wakeful_troubles", "What went wrong", labels=["kind"])
        for trouble, count in metrics.troubles.items():
            troubles.add_metric([trouble], count)
        yield troubles
        yield CounterMetricFamily("wakeful_faults", "Raised by plugins", value=metrics.faults)
        yield CounterMetricFamily("wakeful_looks", "Looks at the clock", value=metrics.looks)
        yield CounterMetricFamily("wakeful_sleeps", "Sleeps noticed", value=metrics.sleeps)
        for gauge, text, number in (
            ("wakeful_backlog", "Wakes that wait for a handler", metrics.backlog),
            ("wakeful_held", "Wakes held while paused", metrics.held),
            ("wakeful_sessions", "Sessions known", metrics.engine.sessions),
            ("wakeful_waits", "Follow-ups waited for", metrics.engine.waits),
            ("wakeful_timers", "Deadlines that could match", metrics.engine.timers),
            ("wakeful_rules", "Rules watched", metrics.engine.rules),
        ):
            yield GaugeMetricFamily(gauge, text, value=number)
        yield _histogram("wakeful_lag_seconds", "From an input's instant", metrics.lag)
        yield _histogram("wakeful_lateness_seconds", "From a decision's instant", metrics.lateness)
        yield _histogram("wakeful_wake_wait_seconds", "From decision to handler", metrics.waited)
        yield _histogram("wakeful_handler_seconds", "Length of handlers' work", metrics.took)


def _histogram(name: str, text: str, distribution: Distribution) -> HistogramMetricFamily:
    reached = 0
    buckets: list[tuple[str, float]] = []
    for bound, count in zip((*map(str, BOUNDS), "+Inf"), distribution.counts, strict=True):
        reached += count
        buckets.append((bound, reached))
    return HistogramMetricFamily(name, text, buckets=buckets, sum_value=distribution.total)
