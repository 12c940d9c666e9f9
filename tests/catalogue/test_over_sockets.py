"""End to end: two clients share a catalogue over real sockets, and one comes back midway."""

import asyncio

from catalogue.catalogue_server import SocketClient, serving
from catalogue.catalogue_world import ALL, definition
from wakeful.catalogue import CatalogState, RunState, read

A = "ahp-automation:/a"


def statuses(client):
    """The statuses of the automation's runs, as a client holds them."""
    return [
        run.lifecycle.status
        for automation in client.mirror.catalogues[ALL].automations
        for run in automation.runs
    ]


async def a_run_that_two_clients_watch():
    host, starting = serving()
    async with starting as server:
        port = server.sockets[0].getsockname()[1]
        async with SocketClient(port, "c1", "ann") as ann, SocketClient(port, "c2", "bob") as bob:
            hello = await ann.request("initialize")
            assert hello["_meta"] == {"ahpd.automations": "ahp-automations://{?owner}"}
            for client in (ann, bob):
                await client.subscribe(ALL)

            await ann.dispatch(
                ALL, type="automation/createRequested", resource=A, definition=definition()
            )
            await bob.until(lambda: bob.mirror.catalogues[ALL].automations)

            session = host.new_session(owner="user:bob")
            host.now()
            host.happen(session.uri, "toolFailed")
            for client in (ann, bob):
                await client.until(lambda client=client: statuses(client) == ["running"])
            run = bob.mirror.catalogues[ALL].automations[0].runs[0].resource
            for client in (ann, bob):
                await client.subscribe(run)

            await bob.drop()
            host.now()
            (opened,) = host.open_sessions()
            await ann.until(lambda: ann.mirror.runs[run].primary_session == opened.uri)
            lost = statuses(bob), bob.mirror.runs[run].sessions
            result = await bob.come_back()

            host.now()
            host.end_turn(opened.uri)
            for client in (ann, bob):
                await client.until(lambda client=client: statuses(client) == ["completed"])

            there = [
                (await client.request("subscribe", channel=channel))["snapshot"]["state"]
                for client in (ann, bob)
                for channel in (ALL, run)
            ]
            return ann, bob, run, opened, lost, result, there


def test_both_see_the_run_go_through_its_life_and_one_comes_back_in_the_middle():
    ann, bob, run, opened, lost, result, there = asyncio.run(
        asyncio.wait_for(a_run_that_two_clients_watch(), timeout=30)
    )

    told = [
        each["action"]["automation"]["runs"][0]["lifecycle"]["status"]
        for each in ann.told
        if each["action"]["type"] == "automation/set" and each["action"]["automation"]["runs"]
    ]
    assert list(dict.fromkeys(told)) == ["pending", "running", "completed"]
    assert lost == (["running"], ())
    assert result["type"] == "replay"
    assert [each["action"]["type"] for each in result["actions"]] == [
        "automationRun/sessionSet",
        "automationRun/primarySessionChanged",
        "automation/set",
    ]
    assert opened.messages[0].startswith("Look at it.\n\nWhat woke this run: A tool call failed")
    assert ann.mirror.catalogues == bob.mirror.catalogues == {ALL: read(CatalogState, there[0])}
    assert ann.mirror.runs == bob.mirror.runs == {run: read(RunState, there[1])}
    assert there[:2] == there[2:]
