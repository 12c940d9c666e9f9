"""Reducers: what clients do with the actions they are sent.

Pure, and total: an action that changes nothing (a request, an unknown type, an unknown
resource) gives back the very same state. They believe the host; whether a lifecycle may
follow another, or a primary session is a member, is the host's to know.
"""

from typing import assert_never

import attrs

from wakeful.catalogue.actions import (
    Action,
    AutomationRemoved,
    AutomationSet,
    CancelRequested,
    CreateRequested,
    Envelope,
    LifecycleChanged,
    PrimarySessionChanged,
    SessionRemoved,
    SessionSet,
    UnknownAction,
    UpdateRequested,
)
from wakeful.catalogue.states import AutomationState, CatalogState, RunState


def distinct(state: CatalogState) -> CatalogState:
    """A snapshot in which each resource stands once: the last one said, in the first one's place.

    The same object where nothing stands twice. O(automations).
    """
    found: dict[str, AutomationState] = {}
    for automation in state.automations:
        found[automation.resource] = automation
    if len(found) == len(state.automations):
        return state
    return attrs.evolve(state, automations=tuple(found.values()))


def reduce_catalogue(state: CatalogState, action: Action) -> CatalogState:
    """The catalogue after an action of its channel. O(automations)."""
    match action:
        case AutomationSet():
            return _set(distinct(state), action.automation)
        case AutomationRemoved():
            return _remove(distinct(state), action.resource)
        case (
            CreateRequested()
            | UpdateRequested()
            | LifecycleChanged()
            | SessionSet()
            | SessionRemoved()
            | PrimarySessionChanged()
            | CancelRequested()
            | UnknownAction()
        ):
            return state
        case _:
            assert_never(action)


def reduce_run(state: RunState, action: Action) -> RunState:
    """A run after an action of its channel."""
    match action:
        case LifecycleChanged():
            meta = state.meta if action.meta is None else action.meta
            return attrs.evolve(state, lifecycle=action.lifecycle, meta=meta)
        case SessionSet():
            if action.session in state.sessions:
                return state
            return attrs.evolve(state, sessions=(*state.sessions, action.session))
        case SessionRemoved():
            return _remove_session(state, action.session)
        case PrimarySessionChanged():
            return attrs.evolve(state, primary_session=action.primary_session)
        case (
            CreateRequested()
            | UpdateRequested()
            | AutomationSet()
            | AutomationRemoved()
            | CancelRequested()
            | UnknownAction()
        ):
            return state
        case _:
            assert_never(action)


def receive_catalogue(state: CatalogState, envelope: Envelope) -> CatalogState:
    """The catalogue after an envelope: one that was rejected changes nothing."""
    if envelope.rejection_reason is not None:
        return state
    return reduce_catalogue(state, envelope.action)


def receive_run(state: RunState, envelope: Envelope) -> RunState:
    """A run after an envelope: one that was rejected changes nothing."""
    return state if envelope.rejection_reason is not None else reduce_run(state, envelope.action)


def _set(state: CatalogState, automation: AutomationState) -> CatalogState:
    automations = list(state.automations)
    for index, known in enumerate(automations):
        if known.resource == automation.resource:
            automations[index] = automation
            break
    else:
        automations.append(automation)
    return attrs.evolve(state, automations=tuple(automations))


def _remove(state: CatalogState, resource: str) -> CatalogState:
    kept = tuple(each for each in state.automations if each.resource != resource)
    if len(kept) == len(state.automations):
        return state
    return attrs.evolve(state, automations=kept)


def _remove_session(state: RunState, session: str) -> RunState:
    if session not in state.sessions:
        return state
    return attrs.evolve(
        state,
        sessions=tuple(each for each in state.sessions if each != session),
        primary_session=None if state.primary_session == session else state.primary_session,
    )
