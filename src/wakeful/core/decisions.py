"""How the gate's decisions are put together, and where they stand among all outputs."""

from typing import Final

import attrs

from wakeful.core.wakes import Told
from wakeful.model.outputs import Decision, DecisionKind, Match, OrderKey, Reason

AFTER_MATCHES: Final = 2**31
"""The first part of an order that comes after all matches of its input."""


def after_matches(key: OrderKey, order: int, *rest: int) -> OrderKey:
    """The place of what an input lets go: after its matches, by automation, then one by one."""
    return key._replace(order=(AFTER_MATCHES, order, *rest))


def next_to(key: OrderKey) -> OrderKey:
    """The place of what follows a decision in its own step."""
    return key._replace(order=(*key.order, 1, 0))


def decide(  # noqa: PLR0913, PLR0917 - called for every wake; keywords cost a fifth of it
    told: Told,
    kind: DecisionKind,
    reason: Reason | None = None,
    run: str | None = None,
    message: str | None = None,
    into: str | None = None,
) -> Decision:
    """The first decision on a wake, in the wake's own place."""
    if isinstance(told, Match):
        return Decision(
            at=told.at,
            automation=told.automation,
            kind=kind,
            key=told.key,
            trigger=told.trigger,
            reason=reason,
            count=told.count,
            session=told.session,
            event=told.event,
            run=run,
            message=message,
            late=told.late,
            into=into,
        )
    return Decision(
        at=told.at,
        automation=told.automation,
        kind=kind,
        key=told.key,
        trigger=told.trigger,
        reason=reason,
        count=told.count,
        run=run,
        message=message,
        scheduled_for=told.scheduled_for,
        catch_up=told.catch_up,
        late=told.late,
        into=into,
    )


def later(decision: Decision, key: OrderKey, *, count: int, late: bool = False) -> Decision:
    """What becomes of a wake after its own step: in another place, with what it has by then."""
    return attrs.evolve(decision, at=key.at, key=key, count=count, late=late)


def refuse(automation: str, request_id: str, reason: Reason, key: OrderKey) -> Decision:
    """A press that is refused."""
    return Decision(
        at=key.at,
        automation=automation,
        kind=DecisionKind.REFUSE,
        key=key,
        reason=reason,
        request_id=request_id,
    )
