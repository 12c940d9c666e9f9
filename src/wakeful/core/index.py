"""Which rules a session's events can reach.

Theory
------
A rule is filed under one key of its filter, the most telling one: session, then folder,
project, owner, provider; without any of them it is filed under everything. A session's
candidates are the rules in the buckets of its own facts, and those whose whole filter
holds make its :class:`Reach`: per kind, the rules that count it, in definition order. So
what a session costs does not depend on how many rules other sessions have.

A reach is worked out once per set of facts and shared by the sessions that have them. It
is stale when a bucket it was drawn from changed since: every change takes the next
version, and a bucket remembers its last. An event compares one number; only after some
change somewhere are the few buckets compared, and only where one of them changed is the
reach worked out again.

Sessions that some filter names have a reach of their own; and so has every session where the
sight is a host's own, which may tell two sessions with the same facts apart.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from wakeful.core.compile import Rule
from wakeful.core.sight import GrantSight, Sight
from wakeful.model.events import Facts
from wakeful.model.rules import Filter
from wakeful.model.time import Duration

FAR: Final = 1 << 62
"""Later than every instant; an integer, so that comparing stays cheap."""

MAX_REACHES: Final = 16_384
"""How many sets of facts are kept worked out; past it the one longest unused goes."""

_MAX_EMPTY: Final = 4_096
"""How many buckets may stand empty before they are swept out."""

Key = tuple[str, str]


class Bucket:
    """The rules filed under one key, and the version of the last change to them."""

    __slots__ = ("changed", "rules")

    def __init__(self, changed: int) -> None:
        self.rules: dict[Rule, None] = {}
        self.changed = changed


class Reach:
    """What the events of sessions with one set of facts can reach.

    Attributes:
        by_kind: Kind to the rules that count it, in definition order.
        timed: The rules that time silences, shortest first, then in definition order.
        shortest: The shortest of their lengths; :data:`FAR` where there are none.
        latest: The input that added the last of them.
        members: All of them, to ask whether a waiting rule still counts here.
    """

    __slots__ = ("by_kind", "facts", "latest", "members", "session", "shortest", "timed", "version")

    def __init__(self, facts: Facts, session: str | None) -> None:
        self.facts = facts
        self.session = session
        self.version = -1
        self.by_kind: dict[str, tuple[Rule, ...]] = {}
        self.timed: tuple[Rule, ...] = ()
        self.shortest: Duration = FAR
        self.latest = 0
        self.members: frozenset[Rule] = frozenset()


class Index:
    """The rules by what their filters name, and the reaches worked out of them."""

    def __init__(self, sight: Sight) -> None:
        self.version = 0
        self._sight = sight
        # Grants answer alike for every session; whether a host's own sight does, nobody knows.
        self._each_apart = not isinstance(sight, GrantSight)
        self._buckets: dict[Key, Bucket] = {}
        self._everything = Bucket(0)
        self._all_changed = 0
        self._empty = 0
        self._reaches: dict[Facts, Reach] = {}
        self._named: dict[str, int] = {}
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, rule: Rule) -> None:
        """File a rule. O(values of its key)."""
        self.version += 1
        self._size += 1
        for bucket in self._file(rule):
            if not bucket.rules and bucket is not self._everything:
                self._empty = max(0, self._empty - 1)
            bucket.rules[rule] = None
            bucket.changed = self.version
        for session in _named(rule):
            self._named[session] = self._named.get(session, 0) + 1

    def remove(self, rule: Rule) -> None:
        """Take a rule out. O(values of its key)."""
        self.version += 1
        self._size -= 1
        for bucket in self._file(rule):
            bucket.rules.pop(rule, None)
            bucket.changed = self.version
            if not bucket.rules and bucket is not self._everything:
                self._empty += 1
        for session in _named(rule):
            left = self._named[session] - 1
            if left:
                self._named[session] = left
            else:
                del self._named[session]
        if self._empty > _MAX_EMPTY:
            self._buckets = {key: kept for key, kept in self._buckets.items() if kept.rules}
            self._empty = 0
            self.all_changed()

    def reorder(self, rules: Iterable[Rule]) -> None:
        """Say that the places of these rules changed."""
        self.version += 1
        for rule in rules:
            for bucket in self._file(rule):
                bucket.changed = self.version

    def all_changed(self) -> None:
        """Make every reach be worked out again, as after a change of grants. O(1)."""
        self.version += 1
        self._all_changed = self.version

    def reach(self, facts: Facts, session: str) -> Reach:
        """The reach of a session with these facts, up to date."""
        if self._is_apart(session):
            found = Reach(facts, session)
        else:
            reaches = self._reaches
            kept = reaches.pop(facts, None)
            found = Reach(facts, None) if kept is None else kept
            reaches[found.facts] = found
            if len(reaches) > MAX_REACHES:
                del reaches[next(iter(reaches))]
        if found.version != self.version:
            self._refresh(found, session)
        return found

    def current(self, reach: Reach, session: str) -> Reach:
        """``reach`` made up to date, or the one that takes its place."""
        if self._is_apart(session) != (reach.session is not None):
            return self.reach(reach.facts, session)
        self._refresh(reach, session)
        return reach

    def buckets_of(self, facts: Facts, session: str) -> Iterator[Bucket]:
        """The buckets whose rules could watch a session with these facts."""
        yield self._everything
        buckets = self._buckets
        if not buckets:
            return
        for key in _keys(facts, session):
            bucket = buckets.get(key)
            if bucket is not None:
                yield bucket

    def watches(self, rule: Rule, facts: Facts, session: str) -> bool:
        """Whether the rule's filter holds and its owner sees the session."""
        return holds(rule.spec.filter, facts, session) and self._sight.sees(
            rule.owner, session, facts
        )

    def _is_apart(self, session: str) -> bool:
        return self._each_apart or session in self._named

    def _refresh(self, reach: Reach, session: str) -> None:
        buckets = list(self.buckets_of(reach.facts, session))
        changed = max(self._all_changed, *(bucket.changed for bucket in buckets), 0)
        if changed > reach.version:
            self._work_out(reach, buckets, session)
        reach.version = self.version

    def _work_out(self, reach: Reach, buckets: list[Bucket], session: str) -> None:
        facts, sees = reach.facts, self._sight.sees
        seen: dict[str | None, bool] = {}
        members: list[Rule] = []
        # A dictionary, since a rule that lists two folders stands in two buckets.
        for rule in dict.fromkeys(rule for bucket in buckets for rule in bucket.rules):
            if not holds(rule.spec.filter, facts, session):
                continue
            may = seen.get(rule.owner)
            if may is None:
                may = seen[rule.owner] = sees(rule.owner, session, facts)
            if may:
                members.append(rule)
        members.sort(key=_order)
        by_kind: dict[str, list[Rule]] = {}
        timed: list[Rule] = []
        for rule in members:
            if rule.silence is not None:
                timed.append(rule)
                continue
            for kind in rule.spec.events:
                by_kind.setdefault(kind, []).append(rule)
        timed.sort(key=_silence)
        reach.by_kind = {kind: tuple(rules) for kind, rules in by_kind.items()}
        reach.timed = tuple(timed)
        reach.shortest = FAR if not timed else _silence(timed[0])
        reach.latest = max((rule.since[1] for rule in timed), default=0)
        reach.members = frozenset(members)

    def _file(self, rule: Rule) -> Iterator[Bucket]:
        """The buckets that a rule is filed under."""
        by = rule.spec.filter
        if by is None:
            yield self._everything
            return
        for name, values in (
            ("session", by.sessions),
            ("folder", by.folders),
            ("project", by.projects),
            ("owner", by.owners),
            ("provider", by.providers),
        ):
            if values is not None:
                for value in values:
                    key = (name, value)
                    bucket = self._buckets.get(key)
                    if bucket is None:
                        bucket = self._buckets[key] = Bucket(self.version)
                        self._empty += 1
                    yield bucket
                return
        yield self._everything


def holds(by: Filter | None, facts: Facts, session: str) -> bool:
    """Whether a filter holds: every key given names the fact (semantics 3.2)."""
    if by is None:
        return True
    return (
        (by.sessions is None or session in by.sessions)
        and (by.providers is None or facts.provider in by.providers)
        and (by.owners is None or facts.owner in by.owners)
        and (by.projects is None or facts.project in by.projects)
        and (by.folders is None or any(folder in by.folders for folder in facts.folders))
        and (by.automated is None or facts.automated is by.automated)
    )


def _keys(facts: Facts, session: str) -> Iterator[Key]:
    yield ("session", session)
    for folder in facts.folders:
        yield ("folder", folder)
    if facts.project is not None:
        yield ("project", facts.project)
    if facts.owner is not None:
        yield ("owner", facts.owner)
    if facts.provider is not None:
        yield ("provider", facts.provider)


def _named(rule: Rule) -> Iterable[str]:
    by = rule.spec.filter
    return () if by is None or by.sessions is None else by.sessions


def _order(rule: Rule) -> tuple[int, int, int]:
    return rule.order


def _silence(rule: Rule) -> Duration:
    return FAR if rule.silence is None else rule.silence
