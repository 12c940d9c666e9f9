"""The catalogue with 10 000 automations: actions a second, a snapshot, an event's run.

Run with ``pytest benchmarks/test_catalogue.py``. Each action is what a client's dispatch
costs whole: the grant, the reader, the engine, the store, and telling one subscriber.
"""

from itertools import count

import pytest

from wakeful.catalogue import Catalogue
from wakeful.model.events import GrantsChanged
from wakeful.testing import InMemoryHost

AUTOMATIONS = 10_000
ALL = "ahp-automations://"
START = 1_791_381_600_000


def definition(number):
    return {
        "title": f"Failures {number}",
        "message": {"text": "{{event}} in {{sessionTitle}}: look at it."},
        "session": {"provider": "claude"},
        "triggers": [
            {
                "id": "t1",
                "kind": "event",
                "type": "session",
                "title": "Failing",
                "events": [{"id": "toolFailed"}],
                "config": {
                    "count": {"n": 3, "within": "5m"},
                    "filter": {"projects": [f"project-{number}"]},
                },
            }
        ],
    }


@pytest.fixture(scope="module")
def many(request):
    """How many automations there are."""
    return 20 if request.config.getoption("benchmark_disable") else AUTOMATIONS


@pytest.fixture(scope="module")
def world(many):
    host = InMemoryHost()
    catalogue = host.catalogue = Catalogue(host, at=START)
    grants = ("automation:read", "automation:write", "session:read")
    catalogue.feed(GrantsChanged(principal="user:ann", grants=grants, at=START))
    catalogue.connect("ann", "user:ann")
    for number in range(many):
        catalogue.save_definition(f"ahp-automation:/{number}", definition(number), at=START)
    catalogue.request("ann", "subscribe", {"channel": ALL}, at=START)
    return host, catalogue


def dispatching(world, actions):
    """Dispatch the next action, and read what was told of it."""
    host, catalogue = world
    numbers = count(1)

    def dispatch():
        params = {"channel": ALL, "clientSeq": next(numbers), "action": next(actions)}
        catalogue.dispatch("ann", params, at=START)
        told = host.read("ann")
        assert told
        assert "rejectionReason" not in told[0]

    return dispatch


def test_updates(benchmark, world, many):
    actions = (
        {
            "type": "automation/updateRequested",
            "resource": f"ahp-automation:/{number % many}",
            "changes": {"title": f"Title {number}"},
        }
        for number in count()
    )
    benchmark(dispatching(world, actions))


def test_creates_and_removals(benchmark, world):
    actions = (
        {"type": "automation/removed", "resource": f"ahp-automation:/new-{number // 2}"}
        if number % 2
        else {
            "type": "automation/createRequested",
            "resource": f"ahp-automation:/new-{number // 2}",
            "definition": definition(number),
        }
        for number in count()
    )
    benchmark(dispatching(world, actions))


def test_a_run_from_press_to_end(benchmark, world, many):
    host, catalogue = world
    numbers = count()

    def run():
        number = next(numbers)
        params = {
            "channel": ALL,
            "automation": f"ahp-automation:/{number % many}",
            "requestId": f"r{number}",
        }
        catalogue.request("ann", "runAutomation", params, at=START)
        (session,) = host.open_sessions()
        host.end_turn(session.uri)
        assert len(host.read("ann")) >= 4

    benchmark(run)


def test_a_snapshot(benchmark, world, many):
    _host, catalogue = world

    def snapshot():
        return catalogue.request("ann", "subscribe", {"channel": ALL}, at=START)

    state = benchmark(snapshot)["snapshot"]["state"]
    assert len(state["automations"]) >= many
