"""A catalogue with clients that speak JSON text, and the exact text expected of it."""

import json

from wakeful.catalogue import Catalogue, Options
from wakeful.catalogue.jsonrpc import notification, receive
from wakeful.model.events import GrantsChanged
from wakeful.model.time import SECOND, format_instant, parse_instant
from wakeful.testing import InMemoryHost

ALL = "ahp-automations://"
OWN = "ahp-automations://?owner=me"
START = parse_instant("2026-10-07T14:00:00Z")
EVERYTHING_MAY = ("automation:read", "automation:write", "session:read", "computer:write")

FAILED_EVENT = {
    "id": "toolFailed",
    "title": "A tool call failed",
    "description": "A tool call in the session failed",
}


def at(seconds):
    """The text of an instant, in seconds after the start."""
    return format_instant(START + seconds * SECOND)


def run_uri(number):
    return f"ahp-automation-run:/{number}"


def definition(**members):
    """A definition as a client writes it: on failed tool calls, a count of one."""
    return {
        "title": "Failures",
        "message": {"text": "Look at it."},
        "triggers": [
            {
                "id": "t1",
                "kind": "event",
                "type": "session",
                "title": "Failing",
                "events": [{"id": "toolFailed"}],
            }
        ],
        **members,
    }


def normal(*, owner="user:ann", notes=None, **members):
    """The same as the host normalises it, for an owner."""
    written = definition(**members)
    meta = {"ahpd.owner": owner} if owner else {}
    meta |= {"ahpd": notes} if notes else {}
    return {
        "title": written["title"],
        "message": {"origin": {"kind": "automation"}, "text": "Look at it."},
        "session": {},
        "enabled": True,
        "triggers": [
            {**trigger, "events": [dict(FAILED_EVENT)]} for trigger in written["triggers"]
        ],
        **({"_meta": meta} if meta else {}),
        **{key: value for key, value in members.items() if key not in ("triggers", "message")},
    }


def entry(name="a", *, owner="user:ann", made=0, changed=None, runs=(), written=None, **members):
    """An entry as the host tells it."""
    return {
        "resource": f"ahp-automation:/{name}",
        "definition": normal(owner=owner) if written is None else written,
        "runs": list(runs),
        "operations": ["update", "remove", "run"],
        "createdAt": at(made),
        "modifiedAt": at(made if changed is None else changed),
        **({"_meta": {"ahpd.owner": owner}} if owner else {}),
        **members,
    }


def lifecycle(status, created, started=None, completed=None, **members):
    return {
        "status": status,
        "createdAt": at(created),
        **({} if started is None else {"startedAt": at(started)}),
        **({} if completed is None else {"completedAt": at(completed)}),
        **members,
    }


MANUAL = {"kind": "manual"}
WOKEN = {
    "kind": "trigger",
    "triggerId": "t1",
    "event": {"type": "session", "id": "toolFailed", "count": 1},
}


def summary(number, life, *, origin=MANUAL, sessions=(), name="a", **members):
    """A run as its automation's entry shows it."""
    return {
        "resource": run_uri(number),
        "automation": f"ahp-automation:/{name}",
        "origin": origin,
        "lifecycle": life,
        "sessionCount": len(sessions),
        **({"primarySession": sessions[0]} if sessions else {}),
        **members,
    }


def envelope(action, number, *, channel=ALL, origin=None, reason=None):
    return {
        "channel": channel,
        "action": action,
        "serverSeq": number,
        **({"origin": {"clientId": origin[0], "clientSeq": origin[1]}} if origin else {}),
        **({"rejectionReason": reason} if reason else {}),
    }


def set_(automation):
    return {"type": "automation/set", "automation": automation}


class World:
    """A host, its catalogue, and clients that are connected to it.

    Ann and Bob may everything, Gus is a guest, Meg a member; Nobody has no principal.
    """

    def __init__(self, *, store=None, access=None, types=None, at_once=False, **options):
        self.host = InMemoryHost(at_once=at_once)
        self.host.at = START
        self._runs = 0
        self.catalogue = self.host.catalogue = Catalogue(
            self.host,
            at=START,
            store=store,
            knowledge=self.host,
            access=access,
            types=types,
            options=Options(name_run=self._name_run, **options),
        )
        self._seq = {}
        self._ids = 0
        self.grant("user:ann", *EVERYTHING_MAY)
        self.grant("user:bob", *EVERYTHING_MAY)
        self.grant("user:gus", "automation:read")
        self.grant("user:meg")
        for name in ("ann", "bob", "gus", "meg"):
            self.catalogue.connect(name, f"user:{name}")
        self.catalogue.connect("nobody")

    def _name_run(self, decision):
        self._runs += 1
        return run_uri(self._runs)

    def grant(self, principal, *grants):
        self.catalogue.feed(GrantsChanged(principal=principal, grants=grants, at=self.host.at))

    def later(self, seconds):
        """Time passes, and is told to the catalogue."""
        self.host.at += seconds * SECOND
        self.catalogue.advance(self.host.at)

    def ask(self, client, method, **params):
        """A request, as JSON text both ways; the whole answer without its envelope."""
        self._ids += 1
        text = json.dumps({"jsonrpc": "2.0", "id": self._ids, "method": method, "params": params})
        answer = json.loads(receive(self.catalogue, client, text, at=self.host.at))
        assert answer.pop("jsonrpc") == "2.0"
        assert answer.pop("id") == self._ids
        return answer

    def dispatch(self, client, type_, channel=ALL, **members):
        """An action, as JSON text; its client's own number for it."""
        number = self._seq[client] = self._seq.get(client, 0) + 1
        params = {"channel": channel, "clientSeq": number, "action": {"type": type_, **members}}
        text = json.dumps({"jsonrpc": "2.0", "method": "dispatchAction", "params": params})
        assert receive(self.catalogue, client, text, at=self.host.at) is None
        return number

    def heard(self, client):
        """What a client was told since it last listened, through JSON text."""
        return [json.loads(notification(each))["params"] for each in self.host.read(client)]

    def reasons(self, client):
        """The rejections among what a client was told."""
        return [each["rejectionReason"] for each in self.heard(client) if "rejectionReason" in each]

    def subscribe(self, client, channel=ALL):
        """The state of a channel, which the client is subscribed to from now on."""
        return self.ask(client, "subscribe", channel=channel)["result"]["snapshot"]["state"]

    def entries(self, client="ann"):
        """The entries by name, as a fresh look shows them."""
        state = self.ask(client, "subscribe", channel=ALL)["result"]["snapshot"]["state"]
        return {each["resource"].rpartition("/")[2]: each for each in state["automations"]}

    def create(self, name="a", client="ann", **members):
        """An automation, made by a client; what was told of it is not listened to."""
        resource = f"ahp-automation:/{name}"
        self.dispatch(
            client,
            "automation/createRequested",
            resource=resource,
            definition=definition(**members),
        )
        assert self.reasons(client) == []
        self.host.inboxes.clear()
        return resource

    def press(self, name="a", client="ann", request="r1"):
        """The run that a press is answered with."""
        answer = self.ask(
            client,
            "runAutomation",
            channel=ALL,
            automation=f"ahp-automation:/{name}",
            requestId=request,
        )
        return answer["result"]["resource"]

    def fail_a_tool(self, session=None):
        """A tool call fails, in a session of Bob's own unless said otherwise."""
        if session is None:
            session = self.host.new_session(owner="user:bob").uri
        self.host.happen(session, "toolFailed")
        return session
