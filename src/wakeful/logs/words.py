"""The words of the native log for the kinds of inputs."""

from typing import Final

from wakeful.model.events import (
    Activity,
    DefinitionRemoved,
    DefinitionSaved,
    GrantsChanged,
    Input,
    PluginEvent,
    Press,
    Resumed,
    RunLinked,
    RunSettled,
    RunStarted,
    SessionEnded,
    SessionEvent,
    SteerFailed,
    Tick,
    TurnStarted,
    TypeRegistered,
    TypeRemoved,
)

KIND_WORDS: Final[dict[type, str]] = {
    TurnStarted: "turnStarted",
    Activity: "activity",
    SessionEnded: "sessionEnded",
    PluginEvent: "plugin",
    RunStarted: "runStarted",
    RunLinked: "runLinked",
    RunSettled: "runSettled",
    SteerFailed: "steerFailed",
    Press: "press",
    DefinitionSaved: "definitionSaved",
    DefinitionRemoved: "definitionRemoved",
    TypeRegistered: "typeRegistered",
    TypeRemoved: "typeRemoved",
    GrantsChanged: "grantsChanged",
    Resumed: "resumed",
    Tick: "tick",
}
"""The word of each input that is no session event; those have their own ``kind``."""


def input_kind(one: Input) -> str:
    """The word that the native log has for an input's kind."""
    return one.kind if isinstance(one, SessionEvent) else KIND_WORDS[type(one)]
