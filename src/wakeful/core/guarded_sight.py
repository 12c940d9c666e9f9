"""A host's sight, asked so that what it raises harms nobody else.

A sight that raises is taken to see nothing: an owner that cannot be asked about sees no
session. What it raised is kept, once for each owner, until the engine makes outputs of it.
An answer is remembered with the facts it was asked about, so one that raised is asked
again when facts, rules or grants change.
"""

from wakeful.core.sight import Sight
from wakeful.model.events import Facts


class GuardedSight:
    """A sight that never raises.

    Args:
        sight: The host's.

    Attributes:
        raised: What asking about an owner raised since somebody last looked, in words.
    """

    __slots__ = ("_sight", "raised")

    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        self.raised: dict[str | None, str] = {}

    def sees(self, owner: str | None, session: str | None, facts: Facts) -> bool:
        """Whether that owner may read that session; not, where asking raises."""
        try:
            return self._sight.sees(owner, session, facts)
        except Exception as error:  # noqa: BLE001 - whatever the host's code raises
            about = "a plugin's event" if session is None else f"session {session}"
            self.raised.setdefault(owner, f"asked whether {owner} sees {about}: {error!r}")
            return False

    def met(self, owner: str) -> bool:
        """Whether the host has met that owner; not, where asking raises."""
        try:
            return self._sight.met(owner)
        except Exception as error:  # noqa: BLE001 - as above
            self.raised.setdefault(owner, f"asked whether {owner} is met: {error!r}")
            return False

    def take(self) -> dict[str | None, str]:
        """What was raised, which is the caller's from now on."""
        raised, self.raised = self.raised, {}
        return raised
