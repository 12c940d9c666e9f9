"""Who may do what: the grant that each operation asks, and who answers.

Grants are texts such as ``automation:run``; ``automation:read`` and ``automation:write`` are
groups, the first of ``list``, the second of everything else.
"""

from collections.abc import Iterable
from typing import Final, Protocol

from wakeful.core.sight import GrantSight

LIST: Final = "automation:list"
"""List the catalogue, read a run and its history, ask for trigger definitions."""
CREATE: Final = "automation:create"
UPDATE: Final = "automation:update"
REMOVE: Final = "automation:remove"
RUN: Final = "automation:run"
CANCEL: Final = "automation:cancel"
COMPUTER: Final = "computer:write"
"""What a run's owner needs where the session's config names a ``computer``."""
SESSION_READ: Final = "session:read"
"""What a ``user:`` owner needs to be shown the chat that an automation is pinned to."""

GUEST: Final = ("automation:read",)
"""What the role guest holds of automations."""
MEMBER: Final = ()
"""What the role member holds of automations: nothing."""


class Access(Protocol):
    """A host's answers about principals; ``None`` is a connection without one."""

    def allows(self, principal: str | None, grant: str) -> bool:
        """Whether the principal holds a grant, by itself or by a group or role."""
        ...

    def speaks_for(self, principal: str | None, owner: str) -> bool:
        """Whether the principal may write automations that act as that owner."""
        ...


class GrantAccess:
    """Access by the grants that ``GrantsChanged`` inputs tell, kept in the engine's sight.

    Args:
        sight: Where they are kept.
        anonymous: What a connection without a principal may: a host for one person, who
            signs in nowhere, gives ``automation:read`` and ``automation:write``.
    """

    def __init__(self, sight: GrantSight, *, anonymous: Iterable[str] = ()) -> None:
        self._sight = sight
        self._anonymous = GrantSight()
        self._anonymous.change("", anonymous)

    def allows(self, principal: str | None, grant: str) -> bool:
        """Whether the principal holds a grant."""
        if principal is None:
            return self._anonymous.allows("", grant)
        return self._sight.allows(principal, grant)

    def speaks_for(self, principal: str | None, owner: str) -> bool:
        """Whether the principal is that owner."""
        return principal == owner
