"""What a trace is about."""

import attrs


@attrs.frozen(kw_only=True)
class Watch:
    """What a trace is about; what is left out is everything.

    Attributes:
        automations: Resources.
        sessions: Their names.
    """

    automations: frozenset[str] | None = None
    sessions: frozenset[str] | None = None

    def has_automation(self, automation: str) -> bool:
        """Whether an automation is watched."""
        return self.automations is None or automation in self.automations

    def has_session(self, session: str | None) -> bool:
        """Whether a session is watched; what is about none always is."""
        return self.sessions is None or session is None or session in self.sessions
