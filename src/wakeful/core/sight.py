"""Sight: which sessions an automation's owner may see (semantics 9.2).

The engine asks before an event is offered to a rule. A host with an order of its own
implements :class:`Sight`; :class:`GrantSight` is the seed's, and changes by inputs only.
"""

from collections.abc import Iterable, Mapping
from typing import Literal, Protocol

from wakeful.model.events import Facts

SESSION_READ = "session:read"
"""The grant that lets a principal see every session; without it none."""


class Sight(Protocol):
    """What may be seen, and by whom. Answers change by inputs only, or a replay differs."""

    def sees(self, owner: str | None, session: str | None, facts: Facts) -> bool:
        """Whether that owner may read that session; an owner ``None`` is an automation without one.

        A plugin's event is asked about without a session (semantics 11).
        """
        ...

    def met(self, owner: str) -> bool:
        """Whether the host has met that owner, so that it can be asked about."""
        ...


class GrantSight:
    """Sight by grants: a principal met sees every session with ``session:read``, else none.

    Args:
        unowned: What an automation without an owner sees.
        unmet: What an owner sees whom :meth:`change` never named. ``every`` is for replays,
            whose logs seldom tell grants: there such an owner counts as met, too.
    """

    __slots__ = ("_grants", "_unmet_sees", "_unowned_sees")

    def __init__(
        self,
        *,
        unowned: Literal["every", "none"] = "every",
        unmet: Literal["every", "none"] = "none",
    ) -> None:
        self._unowned_sees = unowned == "every"
        self._unmet_sees = unmet == "every"
        self._grants: dict[str, frozenset[str]] = {}

    def change(self, principal: str, grants: Iterable[str]) -> bool:
        """Take a principal's grants, whole. An empty list is a principal met, with nothing.

        Returns:
            Whether the principal sees otherwise than before.
        """
        before = self.sees_sessions(principal)
        self._grants[principal] = frozenset(grants)
        return self.sees_sessions(principal) is not before

    def put_back(self, grants: Mapping[str, Iterable[str]]) -> None:
        """Make a state that :meth:`state` told the whole state again."""
        self._grants = {principal: frozenset(held) for principal, held in grants.items()}

    def state(self) -> dict[str, list[str]]:
        """Every principal that was met, with its grants, as plain data."""
        return {who: sorted(grants) for who, grants in sorted(self._grants.items())}

    def sees_sessions(self, owner: str | None) -> bool:
        """Whether that owner sees sessions: by grants it is every one or none."""
        if owner is None:
            return self._unowned_sees
        grants = self._grants.get(owner)
        return self._unmet_sees if grants is None else SESSION_READ in grants

    def sees(self, owner: str | None, session: str | None, facts: Facts) -> bool:  # noqa: ARG002 - all alike
        """Whether that owner may read that session."""
        return self.sees_sessions(owner)

    def met(self, owner: str) -> bool:
        """Whether a change of grants has named that owner."""
        return self._unmet_sees or owner in self._grants

    def allows(self, principal: str, grant: str) -> bool:
        """Whether a principal holds ``thing:operation``, by itself or by its group.

        ``thing:read`` holds ``thing:list``, ``thing:write`` every other operation; a group
        itself is held only where it was given.

        >>> sight = GrantSight()
        >>> sight.change("user:ann", ["automation:write"])
        False
        >>> sight.allows("user:ann", "automation:run"), sight.allows("user:ann", "automation:list")
        (True, False)
        """
        grants = self._grants.get(principal, frozenset())
        if grant in grants:
            return True
        thing, _, operation = grant.partition(":")
        if operation in ("read", "write"):
            return False
        return f"{thing}:{'read' if operation == 'list' else 'write'}" in grants

    def grants(self) -> dict[str, tuple[str, ...]]:
        """Every principal met with its grants, sorted: the state, to be kept and put back."""
        return {principal: tuple(sorted(held)) for principal, held in sorted(self._grants.items())}
