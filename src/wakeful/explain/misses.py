"""Near misses: where rules came close, ranked, each with what would have made it match.

Misses are ranked by how many parts failed, then by how far they were from holding. Those
with one part have a remedy (:mod:`wakeful.explain.remedies`), which is tried before it is
told. Misses that share events are one, the nearest.
"""

from collections.abc import Iterable, Iterator
from typing import Final

import attrs

from wakeful.explain.counting import CountingMisses
from wakeful.explain.lacks import Lack, Miss, how_far, ratio
from wakeful.explain.mending import Mender
from wakeful.explain.pairs import Pair
from wakeful.explain.quiets import Quiet
from wakeful.explain.remedies import Trial
from wakeful.explain.steps import RuleName, What
from wakeful.explain.tracer import Tracer
from wakeful.model.time import Instant

_SILENCES: Final = 64
"""How many silences of one rule in one session are looked at closely, the longest."""


def near_misses(tracer: Tracer, *, limit: int = 10, at: Instant | None = None) -> list[Miss]:
    """The nearest misses of a trace, nearest first.

    Args:
        tracer: The trace; it is over.
        limit: How many.
        at: Only those that were going on at this instant.
    """
    found: list[Miss] = []
    for pair in tracer.pairs:
        inputs = tracer.tracks[pair.session].inputs
        misses = (
            CountingMisses(pair, inputs).misses() if isinstance(pair, Pair) else _silences(pair)
        )
        kept = (miss for miss in misses if at is None or miss.since <= at <= miss.at)
        found += _apart(sorted(kept, key=_rank), limit)
    found.sort(key=_rank)
    trials: dict[tuple[RuleName, str], Trial] = {}
    told: list[Miss] = []
    for miss in found:
        if len(told) == limit:
            break
        trial = trials.get((miss.rule, miss.session))
        if trial is None:
            trial = trials[miss.rule, miss.session] = Trial(tracer, miss.rule, miss.session)
        tried = _tried(miss, trial)
        if tried is not None:
            told.append(tried)
    return sorted(told, key=_rank)


def _tried(miss: Miss, trial: Trial) -> Miss | None:
    """A miss with the first of its remedies that works.

    Where the count would have been satisfied and the rule would not have matched all the
    same, what has to follow is lacking too. ``None`` where its one part would have made no
    difference: what it is about went into another match.
    """
    remedy = next((each for each in miss.remedies if trial.works(each)), None)
    if remedy is None and miss.remedies and miss.stage == "count" and miss.then is not None:
        lack = Lack(path="then", wanted=miss.then, had=None)
        return attrs.evolve(miss, lacks=(*miss.lacks, lack), remedies=())
    if remedy is None and miss.remedies:
        return None
    return attrs.evolve(miss, remedy=remedy)


def _rank(miss: Miss) -> tuple[int, float, Instant]:
    return (len(miss.lacks), miss.distance, miss.at)


def _apart(ranked: Iterable[Miss], limit: int) -> list[Miss]:
    """The first misses of which no two share an event."""
    used: set[int] = set()
    kept: list[Miss] = []
    for miss in ranked:
        numbers = {each.number for each in miss.events}
        if not numbers & used:
            used |= numbers
            kept.append(miss)
            if len(kept) == limit:
                break
    return kept


def _silences(pair: Quiet) -> Iterator[Miss]:
    """The misses of a rule that times silences."""
    mender = Mender(pair.rule)
    length = pair.rule.silence or 0
    near = sorted(
        (step for step in pair.steps if step.what in (What.BROKEN, What.PASSED_OVER)),
        key=lambda step: -(step.quiet or 0),
    )
    for step in near[:_SILENCES]:
        quiet, since = step.quiet or 0, step.since or 0
        if step.what is What.BROKEN:
            by = () if step.by is None else (step.by,)
            lacks = [Lack(path="when.turnLongerThan", wanted=length, had=quiet, by=by)]
            distance = ratio(length - quiet, length)
        else:
            lacks, distance = [], 0.0
        lacks += [Lack(path=each.path, wanted=each.wanted, had=each.had) for each in step.clauses]
        distance += sum(map(how_far, step.clauses))
        remedies = mender.of_silence(
            [lack.path for lack in lacks], quiet=quiet, expected_at=since + quiet
        )
        yield Miss(
            rule=pair.name,
            session=pair.session,
            stage="silence",
            at=step.at,
            since=since,
            events=step.needs[-1:],
            counted=0,
            of=1,
            lacks=tuple(lacks),
            distance=distance,
            remedies=tuple(remedies) if len(lacks) == 1 else (),
        )
