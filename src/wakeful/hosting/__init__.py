"""Living in a host: runners for event loops and threads, live logs, metrics."""

from wakeful.hosting.clock import Clock, DelayedClock, ScaledClock, SystemClock
from wakeful.hosting.handlers import HandlerLimits, Saved
from wakeful.hosting.metrics import Distribution, Metrics
from wakeful.hosting.observing import Handled, Observer
from wakeful.hosting.run_limits import GoingRun
from wakeful.hosting.runner import Handler, Runner
from wakeful.hosting.stepping import DecidingEngine, Source
from wakeful.hosting.sync_runner import SyncHandler, SyncRunner
from wakeful.hosting.troubles import BacklogError, StoppedError, Trouble

__all__ = [
    "BacklogError",
    "Clock",
    "DecidingEngine",
    "DelayedClock",
    "Distribution",
    "GoingRun",
    "Handled",
    "Handler",
    "HandlerLimits",
    "Metrics",
    "Observer",
    "Runner",
    "Saved",
    "ScaledClock",
    "Source",
    "StoppedError",
    "SyncHandler",
    "SyncRunner",
    "SystemClock",
    "Trouble",
]
