"""A rule that times silences, in one session, followed step by step (semantics, section 6)."""

from wakeful.core.compile import Rule
from wakeful.explain.clauses import Asking
from wakeful.explain.steps import RuleName, Step, Taken, What, Why
from wakeful.explain.tracks import Track
from wakeful.model.outputs import Match
from wakeful.model.time import Instant


class Quiet:
    """The silences of a session's turns, for one rule.

    Attributes:
        steps: Every step so far.
    """

    def __init__(self, rule: Rule, session: str) -> None:
        self.rule = rule
        self.session = session
        self.name = RuleName(automation=rule.automation, trigger=rule.trigger, preset=rule.preset)
        self.steps: list[Step] = []
        self._asking = Asking(rule)

    def matched(self, match: Match, track: Track) -> None:
        """A silence was long enough, and matched."""
        self.steps.append(
            Step(
                what=What.COMPLETED,
                at=match.at,
                rule=self.name,
                session=self.session,
                quiet=match.at - track.touched_at,
                since=track.touched_at,
                match=match,
                needs=track.sources(),
            )
        )

    def passed(self, at: Instant, track: Track) -> None:
        """Time went on to ``at``: a silence that was long enough by then was passed over."""
        due = track.look.silences.get(self.rule)
        if due is not None and due <= at and not self._is_done(due):
            self.steps.append(
                Step(
                    what=What.PASSED_OVER,
                    at=due,
                    rule=self.name,
                    session=self.session,
                    clauses=self._asking.of_state(track.state),
                    quiet=due - track.touched_at,
                    since=track.touched_at,
                    needs=track.sources(),
                )
            )

    def stirred(self, taken: Taken, track: Track) -> None:
        """The session did something: what was timed until then is timed no more."""
        due = track.look.silences.get(self.rule)
        if due is not None and due > taken.at:
            self.steps.append(
                Step(
                    what=What.BROKEN,
                    at=taken.at,
                    rule=self.name,
                    session=self.session,
                    why=Why.STIRRED,
                    by=taken,
                    clauses=self._asking.of_state(track.state),
                    quiet=taken.at - track.touched_at,
                    since=track.touched_at,
                    needs=track.sources(),
                )
            )

    def _is_done(self, due: Instant) -> bool:
        last = self.steps[-1] if self.steps else None
        return (
            last is not None and last.what in (What.COMPLETED, What.PASSED_OVER) and last.at == due
        )
