"""A client's side: the state of the channels it is subscribed to, reduced from what it is sent."""

from collections.abc import Mapping
from typing import Any

from wakeful.catalogue.actions import Envelope
from wakeful.catalogue.channels import CatalogueChannel, read_channel
from wakeful.catalogue.converting import read
from wakeful.catalogue.reducers import distinct, receive_catalogue, receive_run
from wakeful.catalogue.states import CatalogState, RunState


class Mirror:
    """What a client holds of a catalogue.

    Attributes:
        catalogues: The state of each catalogue channel it is subscribed to, by URI.
        runs: The state of each run's channel, by URI.
        seen: The highest server sequence it has been sent, to come back with.
    """

    def __init__(self) -> None:
        self.catalogues: dict[str, CatalogState] = {}
        self.runs: dict[str, RunState] = {}
        self.seen = 0

    @property
    def subscriptions(self) -> tuple[str, ...]:
        """The channels it holds."""
        return (*self.catalogues, *self.runs)

    def take_snapshot(self, snapshot: Mapping[str, Any]) -> None:
        """Hold a channel's state as it was sent, in place of any it had.

        Raises:
            InvalidError: It is no snapshot of an automation channel.
        """
        uri = snapshot["resource"]
        if isinstance(read_channel(uri), CatalogueChannel):
            self.catalogues[uri] = distinct(read(CatalogState, snapshot["state"]))
        else:
            self.runs[uri] = read(RunState, snapshot["state"])
        self.seen = max(self.seen, snapshot["fromSeq"])

    def take(self, envelope: Mapping[str, Any]) -> Envelope:
        """Reduce an envelope; one of a channel that is not held changes nothing.

        Raises:
            InvalidError: It is no envelope.
        """
        if "rejectionReason" in envelope:
            # What was refused may be no action at all; nobody reduces it.
            envelope = {**envelope, "action": {"type": f"rejected {envelope['action']['type']}"}}
        told = read(Envelope, envelope)
        if told.channel in self.catalogues:
            before = self.catalogues[told.channel]
            self.catalogues[told.channel] = receive_catalogue(before, told)
        elif told.channel in self.runs:
            self.runs[told.channel] = receive_run(self.runs[told.channel], told)
        self.seen = max(self.seen, told.server_seq)
        return told

    def come_back(self, result: Mapping[str, Any]) -> None:
        """Take the result of a ``reconnect``; a channel that is missing is held no longer.

        Raises:
            InvalidError: It is no such result.
        """
        for envelope in result.get("actions", ()):
            self.take(envelope)
        for snapshot in result.get("snapshots", ()):
            self.take_snapshot(snapshot)
        for uri in result.get("missing", ()):
            self.catalogues.pop(uri, None)
            self.runs.pop(uri, None)
