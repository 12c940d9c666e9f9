"""The automations and rules that are checked, each with its place in its file."""

from collections.abc import Iterator, Mapping, Sequence

import attrs

from wakeful.errors import InvalidError
from wakeful.model.automations import SCHEME, Automation
from wakeful.model.rules import SessionRule
from wakeful.model.triggers import SessionTrigger, Trigger, WatchTrigger
from wakeful.reading.paths import child, join
from wakeful.reading.places import Places
from wakeful.reading.rulesets import Ruleset, ruleset_places


@attrs.frozen(kw_only=True)
class Checked:
    """An automation and where its definition stands.

    Attributes:
        path: Of the map that has ``triggers``.
        file: The file.
    """

    automation: Automation
    path: str
    file: str

    @property
    def name(self) -> str:
        """Its id, as people know it."""
        return self.automation.resource.removeprefix(f"{SCHEME}/")

    def triggers(self) -> Iterator[tuple[str, Trigger]]:
        """Each trigger with its path."""
        for index, trigger in enumerate(self.automation.definition.triggers):
            yield child(child(self.path, "triggers"), index), trigger

    def rules(self) -> "Iterator[Watched]":
        """Each rule, those of presets included."""
        for path, trigger in self.triggers():
            if isinstance(trigger, SessionTrigger):
                yield Watched(checked=self, path=path, trigger=trigger, rule=trigger.rule)
            elif isinstance(trigger, WatchTrigger):
                for preset, rule in trigger.rules:
                    yield Watched(
                        checked=self, path=path, trigger=trigger, preset=preset, rule=rule
                    )


@attrs.frozen(kw_only=True)
class Watched:
    """One rule of a trigger.

    Attributes:
        path: The trigger's.
    """

    checked: Checked
    path: str
    trigger: SessionTrigger | WatchTrigger
    rule: SessionRule
    preset: str | None = None

    def at(self, part: str) -> str:
        """The path of a part of the rule, such as ``count.n``.

        A preset's parts are not written out: what is not its filter is its config's.
        """
        config = child(self.path, "config")
        if self.preset is None or part.startswith("filter"):
            return join(config, part)
        return config

    @property
    def events(self) -> str:
        """The path of what it selects."""
        return child(self.path, "events")


def checked_automations(
    ruleset: Ruleset,
) -> tuple[Sequence[Checked], Mapping[str, Places]]:
    """The automations of a ruleset with their paths, and the places in each file."""
    places: dict[str, Places] = {}
    found = []
    for automation, source in zip(ruleset.automations, ruleset.sources, strict=True):
        if source.file not in places:
            places[source.file] = _places(source.file)
        whole = child(source.path, "definition")
        is_entry = whole in places[source.file].values
        found.append(
            Checked(
                automation=automation,
                path=whole if is_entry else source.path,
                file=source.file,
            )
        )
    return found, places


def _places(file: str) -> Places:
    try:
        return ruleset_places(file)
    except (OSError, InvalidError):
        return Places()  # changed since it was read: findings without lines are better than none
