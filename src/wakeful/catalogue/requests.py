"""The actions that clients dispatch: asked for leave, checked, carried out, answered.

An action that is accepted is told to everybody it concerns, under the client's own number,
before what comes of it; one that is refused is told to its client alone, with the reason.
Grants are asked before anything else, the existence of what it is about included.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs

from wakeful.catalogue import grants, names, refusals
from wakeful.catalogue.actions import is_client_dispatchable
from wakeful.catalogue.broadcasting import Asking, Broadcast
from wakeful.catalogue.capabilities import Capabilities
from wakeful.catalogue.channels import CatalogueChannel, RunChannel, read_channel
from wakeful.catalogue.converting import write
from wakeful.catalogue.drafts import Drafts, problems_in_words, with_pinned_session
from wakeful.catalogue.entries import Entries
from wakeful.catalogue.executions import Executions
from wakeful.catalogue.grants import Access
from wakeful.catalogue.ledger import Ledger
from wakeful.catalogue.parameters import DispatchParams
from wakeful.errors import InvalidError
from wakeful.model.time import Instant
from wakeful.reading.kinds import RESOURCE
from wakeful.reading.problems import below

GRANT_OF: Final[Mapping[str, str]] = {
    names.CREATE_REQUESTED: grants.CREATE,
    names.UPDATE_REQUESTED: grants.UPDATE,
    names.REMOVED: grants.REMOVE,
    names.CANCEL_REQUESTED: grants.CANCEL,
}
"""What each action asks for."""


@attrs.frozen(kw_only=True)
class Asked:
    """An action on its way: who asks, for what, when."""

    asking: Asking
    action: dict[str, Any]
    at: Instant

    @property
    def resource(self) -> str:
        """The resource it is about.

        Raises:
            InvalidError: It names none.
        """
        resource = self.action.get("resource")
        if not isinstance(resource, str):
            raise InvalidError.single("resource", resource, RESOURCE.expected)
        return resource


class Requests:
    """Carries out what clients dispatch."""

    def __init__(  # noqa: PLR0913 - the parts of a catalogue, by name
        self,
        *,
        access: Access,
        capabilities: Capabilities,
        drafts: Drafts,
        entries: Entries,
        executions: Executions,
        ledger: Ledger,
        broadcast: Broadcast,
    ) -> None:
        self._access = access
        self._capabilities = capabilities
        self._drafts = drafts
        self._entries = entries
        self._executions = executions
        self._ledger = ledger
        self._broadcast = broadcast
        self._handlers: Mapping[str, Callable[[Asked], None]] = {
            names.CREATE_REQUESTED: self._create,
            names.UPDATE_REQUESTED: self._update,
            names.REMOVED: self._remove,
            names.CANCEL_REQUESTED: self._cancel,
        }

    def dispatch(self, client: str, params: DispatchParams, at: Instant, fault: str | None) -> None:
        """Carry out an action, or tell its client why not."""
        asking = Asking(
            client=client,
            client_seq=params.client_seq,
            channel=params.channel,
            principal=self._broadcast.principal_of(client),
        )
        asked = Asked(asking=asking, action=dict(params.action), at=at)
        try:
            self._admit(asked, fault)(asked)
        except refusals.RefusedError as error:
            self._reject(asked, error.reason)
        except InvalidError as error:
            self._reject(asked, problems_in_words(error.problems))

    def _reject(self, asked: Asked, reason: str) -> None:
        self._broadcast.tell(asked.action, audience="client", asking=asked.asking, reason=reason)

    def _admit(self, asked: Asked, fault: str | None) -> Callable[[Asked], None]:
        """Whoever is to carry it out, where its sender may ask for it on that channel."""
        type_ = asked.action.get("type")
        if not isinstance(type_, str) or not is_client_dispatchable(type_):
            raise refusals.not_dispatchable(type_)
        grant = GRANT_OF[type_]
        if not self._access.allows(asked.asking.principal, grant):
            raise refusals.not_granted(grant)
        channel = read_channel(asked.asking.channel)
        expected = RunChannel if type_ == names.CANCEL_REQUESTED else CatalogueChannel
        if not isinstance(channel, expected):
            raise refusals.misplaced(type_, asked.asking.channel)
        if fault is not None:
            raise refusals.RefusedError(fault)
        return self._handlers[type_]

    def _create(self, asked: Asked) -> None:
        if self._capabilities.create is None:
            raise refusals.RefusedError(refusals.NO_CREATION)
        resource = asked.resource
        if not resource.startswith(names.AUTOMATION_SCHEME):
            raise refusals.wrong_scheme(resource)
        _named(resource)
        draft = self._drafts.new(
            resource,
            asked.action.get("definition"),
            principal=asked.asking.principal,
            at=asked.at,
        )
        # Others are told what was asked for as it is understood, never half a definition.
        action = asked.action | {"definition": write(draft.definition)}
        there = self._entries.find(resource)
        if there is None:
            self._executions.take(
                self._entries.save(draft, at=asked.at, asking=asked.asking, action=action)
            )
        elif with_pinned_session(there.definition, None) == draft.definition:
            self._entries.tell_again(there, asked.asking, action)
        else:
            raise refusals.already_exists(resource)

    def _update(self, asked: Asked) -> None:
        resource = asked.resource
        there = self._entries.find(resource)
        if there is None:
            raise refusals.not_found(resource)
        draft = self._drafts.changed(
            resource,
            there.definition,
            asked.action.get("changes"),
            principal=asked.asking.principal,
            at=asked.at,
        )
        understood = write(draft.definition)
        changes = {key: understood[key] for key in asked.action["changes"] if key in understood}
        action = asked.action | {"changes": changes}
        if draft.definition == there.definition:
            self._entries.tell_again(there, asked.asking, action)
            return
        self._executions.take(
            self._entries.save(draft, at=asked.at, asking=asked.asking, action=action)
        )

    def _remove(self, asked: Asked) -> None:
        there = self._entries.find(asked.resource)
        if there is None:
            # Gone is what was asked for: accepted, and nothing to do.
            self._broadcast.tell(asked.action, audience="client", asking=asked.asking)
            return
        self._executions.take(
            self._entries.remove(there, at=asked.at, asking=asked.asking, action=asked.action)
        )

    def _cancel(self, asked: Asked) -> None:
        if self._capabilities.run_cancellation is None:
            raise refusals.RefusedError(refusals.CANCELLATION)
        resource = asked.asking.channel
        run = self._ledger.find(resource)
        if run is None:
            raise refusals.run_not_found(resource)
        self._executions.check_cancel(run)
        self._broadcast.tell(asked.action, run=resource, asking=asked.asking)
        self._executions.cancel(run)


def _named(resource: str) -> None:
    try:
        RESOURCE(resource)
    except InvalidError as error:
        raise InvalidError(below("resource", error.problems)) from None
