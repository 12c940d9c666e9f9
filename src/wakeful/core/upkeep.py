"""Rules that come and go, and sight that changes, under sessions that are in the middle.

Taking a rule out does not look for what it left in sessions: the rule is marked dead and
the removals are numbered. A session is cleaned when it is next met with a number that is
behind; :meth:`Upkeep.sweep` meets a few that nobody else does, now and then.
"""

from collections.abc import Iterator

from wakeful.core.compile import Rule, rules_of
from wakeful.core.deadlines import Deadlines
from wakeful.core.index import Index, Reach
from wakeful.core.machine import Then
from wakeful.core.sessions import Session
from wakeful.core.sight import Sight
from wakeful.core.silences import Silences
from wakeful.model.automations import Automation
from wakeful.model.events import Facts
from wakeful.model.time import Instant


class Upkeep:
    """The rules of every automation that is watched.

    Args:
        sessions: The sessions that are known, by name.
        index: Where rules are filed.
        deadlines: Told of waits that are dropped.
        sight: Asked what an owner may see.

    Attributes:
        removals: How often rules were taken out; see :attr:`Session.swept`.
        evicted_before: What rules that are gone had let go at the bound.
    """

    def __init__(
        self, sessions: dict[str, Session], index: Index, deadlines: Deadlines, sight: Sight
    ) -> None:
        self.removals = 0
        self.silences = Silences(deadlines, self.current)
        self._sessions = sessions
        self._index = index
        self._deadlines = deadlines
        self._sight = sight
        self._rules: dict[str, dict[tuple[str, str | None], Rule]] = {}
        self.evicted_before = 0
        self._swept = 0
        self._sweeping: Iterator[str] | None = None

    # -- sessions ---------------------------------------------------------------------

    def current(self, session: Session) -> Reach:
        """A session's reach, up to date, with what dead rules left in the session dropped."""
        reach = session.reach
        if reach.version != self._index.version:
            reach = session.reach = self._index.current(reach, session.name)
            if session.swept != self.removals:
                self.clean(session)
        return reach

    def clean(self, session: Session) -> None:
        """Drop what rules that were taken out left in a session. O(its hits and waits)."""
        session.swept = self.removals
        for rule in [rule for rule in session.hits or () if not rule.alive]:
            session.forget(rule)
        for rule in [rule for rule in session.waits or () if not rule.alive]:
            self.drop_wait(session, rule)

    def drop_wait(self, session: Session, rule: Rule) -> None:
        """Drop the wait of a rule in a session, which has one, before it was due."""
        session.drop_wait(rule)
        if rule.then is not Then.EVENT:
            self._deadlines.dropped()

    def sweep(self, most: int = 8) -> None:
        """Clean at most that many sessions of what dead rules left in them."""
        if self._sweeping is None:
            if self._swept == self.removals:
                return
            self._swept = self.removals
            self._sweeping = iter(list(self._sessions))
        for _ in range(most):
            name = next(self._sweeping, None)
            if name is None:
                self._sweeping = None
                return
            session = self._sessions.get(name)
            if session is not None and session.swept != self.removals:
                self.clean(session)

    # -- rules ------------------------------------------------------------------------

    def save(self, automation: Automation, place: int, at: Instant, seq: int) -> None:
        """Watch an automation's rules, keeping the state of those that mean the same (7.1).

        O(its rules), and O(running turns) where one of them is new and times a silence.
        """
        resource = automation.resource
        old = self._rules.get(resource, {})
        new: dict[tuple[str, str | None], Rule] = {}
        added: list[Rule] = []
        moved: list[Rule] = []
        for trigger, preset, spec, first, second in rules_of(automation):
            key = (trigger, preset)
            order = (place, first, second)
            rule = old.get(key)
            if rule is None or rule.spec != spec:
                rule = Rule(automation, trigger, preset, spec, order, (at, seq))
                added.append(rule)
            elif rule.order != order or rule.owner != automation.owner:
                if rule.owner != automation.owner:
                    self._change_owner(rule, automation.owner, at, seq)
                rule.order = order
                moved.append(rule)
            new[key] = rule
        self._take_out([rule for key, rule in old.items() if new.get(key) is not rule])
        if new:
            self._rules[resource] = new
        else:
            self._rules.pop(resource, None)
        for rule in added:
            self._index.add(rule)
        if moved:
            self._index.reorder(moved)
        if any(rule.silence is not None for rule in (*added, *moved)):
            for session in self.silences.turns.values():
                if moved:
                    self.silences.rules_moved(session, at)
                self.silences.time(session, self.current(session))

    def remove(self, resource: str) -> None:
        """Stop watching an automation's rules; their state is gone. O(its rules)."""
        self._take_out(list(self._rules.pop(resource, {}).values()))

    def rules(self) -> Iterator[Rule]:
        """Every rule that is watched, by automation."""
        for rules in self._rules.values():
            yield from rules.values()

    def find(self, resource: str, trigger: str, preset: str | None) -> Rule | None:
        """The rule of a trigger (and preset), where it is watched."""
        return self._rules.get(resource, {}).get((trigger, preset))

    @property
    def evicted(self) -> int:
        """How many calls of ``sameInput`` were let go at the bound so far."""
        return self.evicted_before + sum(rule.evicted for rule in self.rules())

    def _take_out(self, rules: list[Rule]) -> None:
        if not rules:
            return
        self.removals += 1
        for rule in rules:
            rule.alive = False
            self.evicted_before += rule.evicted
            self._index.remove(rule)

    # -- sight ------------------------------------------------------------------------

    def sight_changed(self, owner: str, at: Instant, seq: int) -> None:
        """What an owner may see changed (semantics 9.2). O(sessions)."""
        turns = self.silences.turns
        # As it was worked out before: the sight has changed already, and where a turn runs
        # a reach knows every rule that times silences, however old it is.
        before = {name: frozenset(session.reach.timed) for name, session in turns.items()}
        self._index.all_changed()
        for session in self._sessions.values():
            self.check_sight(session, session.facts, owner)
        for name, session in turns.items():
            reach = self.current(session)
            if any(rule.owner == owner and rule not in before[name] for rule in reach.timed):
                session.see_from(owner, at, seq)
            self.silences.time(session, reach)

    def check_sight(self, session: Session, facts: Facts, owner: str | None = None) -> None:
        """Forget what rules have in a session that their owner sees no more.

        Args:
            session: The session.
            facts: Its facts, as they are from now on.
            owner: Whose rules; all rules where left out.
        """
        sees = self._sight.sees
        for rule in {**(session.hits or {}), **(session.waits or {})}:
            if owner is not None and rule.owner != owner:
                continue
            if not sees(rule.owner, session.name, facts):
                self._forget(session, rule)

    def _change_owner(self, rule: Rule, owner: str | None, at: Instant, seq: int) -> None:
        """A rule's automation has another owner: it keeps what that owner may see."""
        before, rule.owner = rule.owner, owner
        sees = self._sight.sees
        for session in self._sessions.values():
            if not sees(owner, session.name, session.facts):
                self._forget(session, rule)
            elif session.turn_at is not None and not sees(before, session.name, session.facts):
                session.see_from(rule, at, seq)

    def _forget(self, session: Session, rule: Rule) -> None:
        session.forget(rule)
        if session.waits is not None and rule in session.waits:
            self.drop_wait(session, rule)
