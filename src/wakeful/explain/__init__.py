"""Why it fired, why it did not: traces, near misses, comparisons, sweeps, slices.

A replay is deterministic, so it can be watched (:class:`Tracer`) and asked: which events a
match came of (:func:`firings`), where rules came close and what would have made them match
(:func:`near_misses`), what another version of the rules would have done
(:class:`Comparison`, :func:`sweep`), and what of the log a match needs (:class:`Shrinker`).
"""

from wakeful.explain.clocks import Tick, ticks
from wakeful.explain.comparing import Change, Comparison, Difference, Wake
from wakeful.explain.firings import Firing, firings
from wakeful.explain.lacks import Lack, Miss
from wakeful.explain.misses import near_misses
from wakeful.explain.remedies import Remedy
from wakeful.explain.shrinking import Shrinker, Slice
from wakeful.explain.steps import RuleName, Step, Taken, What, Why
from wakeful.explain.sweeping import Row, sweep
from wakeful.explain.trace_lines import write_trace
from wakeful.explain.tracer import Tracer
from wakeful.explain.varying import Variant, parse_variation, variants
from wakeful.explain.watching import Watch
from wakeful.explain.wording import Wording

__all__ = [
    "Change",
    "Comparison",
    "Difference",
    "Firing",
    "Lack",
    "Miss",
    "Remedy",
    "Row",
    "RuleName",
    "Shrinker",
    "Slice",
    "Step",
    "Taken",
    "Tick",
    "Tracer",
    "Variant",
    "Wake",
    "Watch",
    "What",
    "Why",
    "Wording",
    "firings",
    "near_misses",
    "parse_variation",
    "sweep",
    "ticks",
    "variants",
    "write_trace",
]
