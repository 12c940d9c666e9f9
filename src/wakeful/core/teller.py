"""What a door tells its runs: one definition's text, filled for a wake or a press."""

from wakeful.core.wakes import Told, Waiting
from wakeful.messages import FindType, Telling, Template, event_title, trigger_title
from wakeful.model.automations import AutomationDefinition
from wakeful.model.outputs import Match
from wakeful.model.time import Instant
from wakeful.model.triggers import Trigger


class Teller:
    """The text and the triggers of an automation's definition, as it is now.

    Args:
        find_type: Looks up registered plugin types.
        tells: Whether anything is filled; without, every message is ``None``.
    """

    __slots__ = ("_find_type", "_template", "tells", "triggers")

    def __init__(self, find_type: FindType, *, tells: bool) -> None:
        self._find_type = find_type
        self._template = Template("")
        self.tells = tells
        self.triggers: dict[str, Trigger] = {}

    def take(self, definition: AutomationDefinition, waiting: Waiting | None) -> None:
        """Tell by this definition from now on; what waits remembers a trigger that is gone."""
        triggers = {trigger.id: trigger for trigger in definition.triggers}
        if waiting is not None and waiting.told.trigger not in triggers:
            waiting.trigger = self.triggers.get(waiting.told.trigger, waiting.trigger)
        self.triggers = triggers
        if self._template.text != definition.message.text:
            self._template = Template(definition.message.text)

    def tell(self, told: Told, count: int, gone: Trigger | None = None) -> str | None:
        """The message of a run, release or steer; ``gone`` stands in for a trigger taken out."""
        if not self.tells:
            return None
        find_type = self._find_type
        trigger = self.triggers.get(told.trigger, gone)
        title = trigger_title(trigger, find_type)
        if not isinstance(told, Match):
            return self._template.fill(Telling(at=told.at, trigger=title))
        return self._template.tell(
            Telling(
                at=told.at,
                trigger=title,
                event=event_title(
                    told.event, preset=told.preset, trigger=trigger, find_type=find_type
                ),
                session=told.session,
                session_title=told.title,
                count=count,
                data=told.data,
            )
        )

    def tell_press(self, at: Instant) -> str | None:
        """The message of a pressed run: no event, no schedule, no block (semantics 8.6)."""
        return self._template.fill(Telling(at=at)) if self.tells else None
