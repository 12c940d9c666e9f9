"""A session as it stands, for whoever explains what rules make of it.

Looking walks the session and drops what is stale there (:mod:`wakeful.core.census`), which
no output ever shows; what is given is not kept up to date.
"""

from collections.abc import Mapping

from wakeful.core.census import live_in
from wakeful.core.compile import Rule
from wakeful.core.matcher import Matcher
from wakeful.model._records import record
from wakeful.model.events import EventKind
from wakeful.model.time import Instant


@record(kw_only=True)
class WaitSeen:
    """A follow-up that is waited for, as it stood when it was looked at.

    Attributes:
        due: Its deadline; of an ``event`` wait the last instant in time.
        armed_by: The number of the input that armed it, or moved it last.
        event: The kind that satisfied the count.
    """

    due: Instant
    armed_by: int
    event: EventKind


@record(kw_only=True)
class Look:
    """What is known of a session, and what rules have in it.

    Attributes:
        turn_at: When its running turn started, if that was seen.
        touched_by: The number of the input by which it did anything last.
        hits: The hits that still count, by rule; a rule without any is left out.
        waits: The waits that may still hold, by rule.
        silences: When the silences fall due that are being timed, by rule.
    """

    turn_at: Instant | None
    touched_by: int
    hits: Mapping[Rule, int]
    waits: Mapping[Rule, WaitSeen]
    silences: Mapping[Rule, Instant]


NOWHERE = Look(turn_at=None, touched_by=-1, hits={}, waits={}, silences={})
"""A session that is not known."""


def look_at(matcher: Matcher, name: str, now: Instant) -> Look:
    """Look at a session. O(its hits and waits, and the rules that time its silences)."""
    session = matcher.sessions.get(name)
    if session is None:
        return NOWHERE
    hits: dict[Rule, int] = {}
    waits: dict[Rule, WaitSeen] = {}
    for _, rule, count, wait in live_in(matcher, session, now):
        if count:
            hits[rule] = count
        if wait is not None:
            waits[rule] = WaitSeen(due=wait.due, armed_by=wait.seq, event=wait.kind)
    return Look(
        turn_at=session.turn_at,
        touched_by=session.touched_seq,
        hits=hits,
        waits=waits,
        silences={each.rule: each.due for each in matcher.upkeep.silences.coming(session)},
    )
