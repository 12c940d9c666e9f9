"""Clients that reduce what they are told hold the host's state, whatever happens to them."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from catalogue.catalogue_world import ALL, OWN, World, definition
from wakeful.catalogue import Capabilities, CatalogState, ErrorInfo, Mirror, RunState, read

CLIENTS = ("ann", "bob")
NAMES = st.sampled_from(["a", "b", "c"])
WRITERS = st.sampled_from(CLIENTS)
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "title": st.sampled_from(["Failures", "Other", ""]),
        "enabled": st.booleans(),
        "disableConditions": st.sampled_from([[], [{"kind": "afterRuns", "max": 2}], 3]),
        "_meta": st.sampled_from(
            [{}, {"ahpd": {"session": "pinned"}}, {"ahpd": {"overlap": "parallel"}}]
        ),
        "triggers": st.sampled_from([[], definition()["triggers"], [{"id": "x"}]]),
    },
)
OVERLAPS = st.sampled_from(["queue", "steer", "parallel", "skip"])


class SharedState(RuleBasedStateMachine):
    """Two clients with a mirror each; they come and go, and lose what was on its way."""

    def __init__(self):
        super().__init__()
        self.world = World(
            replayed=25,
            capabilities=Capabilities(create={}, run_cancellation={}, run_history_limit=3),
        )
        self.mirrors = {client: Mirror() for client in CLIENTS}
        self.away = set()
        self.requests = 0
        for client in CLIENTS:
            self.world.catalogue.connect(f"auditor of {client}", f"user:{client}")

    @initialize()
    def subscribe(self):
        self.world.create()
        for client in CLIENTS:
            for channel in (ALL, OWN):
                self.hold(client, channel)

    def hold(self, client, channel):
        answer = self.world.ask(client, "subscribe", channel=channel)
        if "result" in answer:
            self.listen(client)
            self.mirrors[client].take_snapshot(answer["result"]["snapshot"])

    def listen(self, client):
        for told in self.world.heard(client):
            self.mirrors[client].take(told)

    # What clients do

    @rule(client=WRITERS, name=NAMES, overlap=OVERLAPS, pinned=st.booleans())
    def create(self, client, name, overlap, pinned):
        notes = {"overlap": overlap} | ({"session": "pinned"} if pinned else {})
        self.dispatch(
            client,
            "automation/createRequested",
            resource=f"ahp-automation:/{name}",
            definition=definition(_meta={"ahpd": notes}),
        )

    @rule(client=WRITERS, name=NAMES, changes=CHANGES)
    def update(self, client, name, changes):
        self.dispatch(
            client,
            "automation/updateRequested",
            resource=f"ahp-automation:/{name}",
            changes=changes,
        )

    @rule(client=WRITERS, name=NAMES)
    def remove(self, client, name):
        self.dispatch(client, "automation/removed", resource=f"ahp-automation:/{name}")

    @rule(client=WRITERS, number=st.integers(1, 6))
    def cancel(self, client, number):
        self.dispatch(
            client, "automationRun/cancelRequested", channel=f"ahp-automation-run:/{number}"
        )

    @rule(client=WRITERS, name=NAMES, again=st.booleans())
    def press(self, client, name, again):
        self.requests += not again
        answer = self.request(
            client,
            "runAutomation",
            channel=ALL,
            automation=f"ahp-automation:/{name}",
            requestId=f"r{self.requests}",
        )
        if answer is not None and "result" in answer:
            self.hold(client, answer["result"]["resource"])

    @rule(client=WRITERS, name=NAMES)
    def fetch(self, client, name):
        self.request(
            client, "fetchAutomationRuns", channel=ALL, automation=f"ahp-automation:/{name}"
        )

    def dispatch(self, client, type_, **members):
        if client not in self.away:
            self.world.dispatch(client, type_, **members)

    def request(self, client, method, **params):
        return None if client in self.away else self.world.ask(client, method, **params)

    @rule(client=WRITERS, heard=st.booleans())
    def leave(self, client, heard):
        if heard and client not in self.away:
            self.listen(client)
        self.away.add(client)
        self.world.catalogue.disconnect(client)
        self.world.host.inboxes.pop(client, None)

    @precondition(lambda self: self.away)
    @rule(data=st.data())
    def come_back(self, data):
        self.bring_back(data.draw(st.sampled_from(sorted(self.away))))

    @rule(client=WRITERS, heard=st.booleans(), count=st.integers(0, 4))
    def miss_some(self, client, heard, count):
        self.leave(client, heard)
        for _ in range(count):
            self.world.fail_a_tool()
            for session in self.world.host.open_sessions():
                self.world.host.end_turn(session.uri)
        self.bring_back(client)

    def bring_back(self, client):
        self.away.discard(client)
        self.world.catalogue.connect(client, f"user:{client}")
        mirror = self.mirrors[client]
        answer = self.world.ask(
            client,
            "reconnect",
            lastSeenServerSeq=mirror.seen,
            subscriptions=list(mirror.subscriptions),
        )
        mirror.come_back(answer["result"])

    # What happens to the host

    @rule(count=st.integers(1, 3))
    def tools_fail(self, count):
        session = self.world.fail_a_tool()
        for _ in range(count - 1):
            self.world.fail_a_tool(session)

    @precondition(lambda self: self.world.host.asked)
    @rule()
    def open_sessions(self):
        self.world.host.open_sessions()

    @precondition(lambda self: self.world.host.asked)
    @rule()
    def cannot_open(self):
        start = self.world.host.asked.pop()
        error = ErrorInfo(error_type="quota", message="none left")
        self.world.catalogue.run_failed(start.run, error, at=self.world.host.at)

    def session(self, data, *, running):
        sessions = [
            each.uri for each in self.world.host.sessions.values() if each.running is running
        ]
        return data.draw(st.sampled_from(sessions)) if sessions else None

    @rule(data=st.data(), outcome=st.sampled_from(["completed", "failed", "cancelled"]))
    def end_turn(self, data, outcome):
        session = self.session(data, running=True)
        if session is not None:
            self.world.host.end_turn(session, outcome)

    @rule(data=st.data())
    def begin_turn(self, data):
        session = self.session(data, running=False)
        if session is not None:
            self.world.host.begin_turn(session)

    @rule(data=st.data(), running=st.booleans())
    def remove_session(self, data, running):
        session = self.session(data, running=running)
        if session is not None:
            self.world.host.remove_session(session)

    @rule(seconds=st.sampled_from([1, 60, 4_000]))
    def time_passes(self, seconds):
        self.world.later(seconds)

    # What holds

    @invariant()
    def whoever_is_there_holds_the_hosts_state(self):
        for client in CLIENTS:
            if client in self.away:
                continue
            self.listen(client)
            mirror = self.mirrors[client]
            for channel in (ALL, OWN):
                if channel in mirror.catalogues:
                    held = mirror.catalogues[channel]
                    there = read(CatalogState, self.look(client, channel))
                    assert by_resource(held) == by_resource(there)
                    assert channel == OWN or held == there
            for run, held in mirror.runs.items():
                there = self.look(client, run)
                # A run that is kept no longer was told its end.
                assert (
                    held == read(RunState, there) if there else held.lifecycle.status != "running"
                )

    def look(self, client, channel):
        auditor = f"auditor of {client}"
        answer = self.world.ask(auditor, "subscribe", channel=channel)
        self.world.ask(auditor, "unsubscribe", channel=channel)
        return answer["result"]["snapshot"]["state"] if "result" in answer else None


def by_resource(state):
    return {each.resource: each for each in state.automations}


TestSharedState = SharedState.TestCase
TestSharedState.settings = settings(max_examples=30, stateful_step_count=40, deadline=None)


class LongSharedState(SharedState):
    """The same for longer."""


TestLongSharedState = pytest.mark.deep(LongSharedState.TestCase)
TestLongSharedState.settings = settings(max_examples=300, stateful_step_count=50, deadline=None)
