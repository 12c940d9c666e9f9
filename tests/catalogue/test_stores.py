"""Stores: what is kept, in which order, and what happens where it cannot be."""

import attrs
import pytest

from catalogue.catalogue_world import ALL, START, World, at, definition, entry, normal, run_uri
from wakeful.catalogue import Catalogue, Kept, MemoryStore, Progress, StoreError, read
from wakeful.catalogue.definitions import Definition
from wakeful.errors import InputRefusedError
from wakeful.model.events import PluginEvent, Press, Resumed, TypeRegistered, TypeRemoved
from wakeful.model.time import HOUR
from wakeful.model.triggers import TriggerEvent, TriggerType
from wakeful.testing import InMemoryHost

A = "ahp-automation:/a"
NINE = {"id": "s", "kind": "schedule", "schedule": {"expression": "0 15 * * *", "timeZone": "UTC"}}


class FiringStore(MemoryStore):
    """Keeps in memory what it is given, as one on a disk would, and may be full."""

    fires_schedules = True

    def __init__(self, kept=()):
        super().__init__(kept)
        self.full = False
        self.moves = []

    def _check(self):
        if self.full:
            raise StoreError("No space left on the device.")

    def save(self, kept):
        self._check()
        super().save(kept)

    def remove(self, resource):
        self._check()
        super().remove(resource)

    def move(self, resource, progress):
        self._check()
        self.moves.append(progress)
        super().move(resource, progress)


def test_in_memory_a_schedule_fires_nothing_and_there_is_no_next_run():
    world = World()
    world.create(triggers=[NINE])

    world.later(3 * 86_400)

    assert "nextRunAt" not in world.entries()["a"]
    assert world.host.asked == []


def test_a_store_that_lasts_fires_schedules():
    world = World(store=FiringStore())
    world.create(triggers=[NINE])
    due = world.entries()["a"]["nextRunAt"]

    assert world.catalogue.next_deadline == START + HOUR
    world.later(3_600)

    shown = world.entries()["a"]
    assert (due, shown["nextRunAt"]) == (at(3_600), at(3_600 + 86_400))
    assert shown["runs"][0]["origin"] == {
        "kind": "trigger",
        "triggerId": "s",
        "scheduledFor": at(3_600),
    }


def test_a_missed_occurrence_is_caught_up_once_after_the_host_was_away():
    store = FiringStore()
    World(store=store).create(triggers=[NINE])

    world = World(store=store)
    world.host.at = START + 50 * HOUR
    world.catalogue.feed(Resumed(at=world.host.at, live=()))

    shown = world.entries()["a"]
    assert [run["origin"] for run in shown["runs"]] == [
        {"kind": "trigger", "triggerId": "s", "scheduledFor": at(3_600), "catchUp": True}
    ]
    assert shown["nextRunAt"] == at(73 * 3_600)


def test_an_occurrence_of_an_owner_who_never_signed_in_starts_nothing():
    store = FiringStore()
    World(store=store).create(triggers=[NINE])

    host = InMemoryHost()
    host.catalogue = Catalogue(host, at=START, store=store)
    outputs = host.catalogue.advance(START + 2 * HOUR)

    assert [(str(each.kind), each.reason) for each in outputs] == [("drop", "ownerUnknown")]
    assert host.asked == []


def test_what_was_kept_is_there_again():
    store = FiringStore()
    world = World(store=store)
    world.create()
    world.later(5)
    world.dispatch("ann", "automation/updateRequested", resource=A, changes={"title": "New"})

    again = World(store=FiringStore(store.load()))

    assert again.entries()["a"] == entry(written=normal(title="New"), changed=5)


def test_what_a_run_changes_is_kept_before_the_host_is_asked_for_anything():
    store = FiringStore()
    world = World(store=store)
    world.create()
    seen = []

    def start(start):
        seen.append(store.moves[-1])

    world.host.start = start
    world.press()

    assert seen == [Progress(going=(run_uri(1),), requests={"r1": run_uri(1)})]


def test_a_definition_that_cannot_be_kept_is_refused_and_changes_nothing():
    store = FiringStore()
    world = World(store=store)
    world.create()
    world.subscribe("gus")
    store.full = True

    world.dispatch("ann", "automation/createRequested", resource=A + "2", definition=definition())
    world.dispatch("ann", "automation/updateRequested", resource=A, changes={"title": "New"})
    world.dispatch("ann", "automation/removed", resource=A)

    assert world.reasons("ann") == ["No space left on the device."] * 3
    assert world.heard("gus") == []
    assert world.entries() == {"a": entry()}


def test_a_run_that_cannot_be_kept_is_not_started():
    store = FiringStore()
    world = World(store=store)
    world.create()
    store.full = True

    world.press()

    assert world.host.asked == []
    assert world.entries()["a"]["runs"][0]["lifecycle"]["status"] == "failed"


def test_a_note_that_could_not_be_kept_is_kept_later():
    store = FiringStore()
    world = World(store=store)
    world.create(_meta={"ahpd": {"session": "pinned"}})
    world.press()
    store.full = True
    (session,) = world.host.open_sessions()
    store.full = False

    world.host.end_turn(session.uri)

    (kept,) = store.load()
    assert kept.definition.meta["ahpd"]["pinnedSession"] == session.uri
    assert kept.progress.going == ()


def test_a_definition_that_was_kept_and_cannot_be_meant_is_refused_at_the_start():
    bad = attrs.evolve(read(Definition, normal()), title="")
    kept = Kept(resource=A, definition=bad, created_at=START, modified_at=START)

    with pytest.raises(ValueError, match="title"):
        Catalogue(InMemoryHost(), at=START, store=MemoryStore([kept]))


class BrokenStore(FiringStore):
    fault = "Automation storage is unavailable and must be recovered before automations can run"


def test_over_a_store_that_cannot_be_read_nothing_is_offered_and_everything_refused():
    good = Kept(
        resource=A, definition=read(Definition, normal()), created_at=START, modified_at=START
    )
    world = World(store=BrokenStore([good]))

    world.dispatch("ann", "automation/removed", resource=A)
    world.fail_a_tool()

    assert world.ask("ann", "initialize") == {"result": {}}
    assert world.reasons("ann") == [BrokenStore.fault]
    assert world.ask("ann", "subscribe", channel=ALL)["error"]["message"] == BrokenStore.fault
    assert world.host.asked == []


# What the host itself writes


def test_what_the_host_writes_is_told_as_if_a_client_had_written_it():
    world = World()
    world.subscribe("gus")

    world.catalogue.save_definition(A, normal(), at=world.host.at)
    removed = world.catalogue.remove_definition(A, at=world.host.at)

    assert [each["action"]["type"] for each in world.heard("gus")] == [
        "automation/set",
        "automation/removed",
    ]
    assert removed
    assert not world.catalogue.remove_definition(A, at=world.host.at)


def test_the_host_may_write_any_owner_and_chat_and_keeps_the_chat_it_noted():
    world = World()
    pinned = normal(owner="team:red", notes={"session": "pinned", "pinnedSession": "s:/1"})
    world.catalogue.save_definition(A, pinned, at=world.host.at)

    edited = normal(owner="team:red", notes={"session": "pinned"}, title="New")
    world.catalogue.save_definition(A, edited, at=world.host.at)

    shown = world.entries()["a"]["definition"]
    assert (shown["title"], shown["_meta"]) == (
        "New",
        {
            "ahpd.owner": "team:red",
            "ahpd": {"session": "pinned", "pinnedSession": "s:/1"},
        },
    )


@pytest.mark.parametrize(
    ("resource", "written"), [("file:///a", normal()), (A, normal(title="")), (A, None)]
)
def test_what_the_host_cannot_mean_is_refused_and_what_runs_goes_on(resource, written):
    world = World()
    world.create()

    with pytest.raises(Exception, match=r"scheme|title|map"):
        world.catalogue.save_definition(resource, written, at=world.host.at)

    assert world.entries() == {"a": entry()}


# Plugin types


BUILD = TriggerType(
    type="build",
    title="Builds",
    events=(TriggerEvent(id="failed", title="A build failed"),),
    config_schema={"type": "object", "properties": {"branch": {"type": "string"}}},
)


def on_build(**config):
    return {
        "id": "p",
        "kind": "event",
        "type": "build",
        "events": [{"id": "failed"}],
        **({"config": config} if config else {}),
    }


def build_failed(world):
    world.catalogue.feed(
        PluginEvent(type="build", event="failed", at=world.host.at, data={}, by="ci")
    )
    return len(world.host.asked)


def register(world):
    world.catalogue.feed(TypeRegistered(definition=BUILD, at=world.host.at, by="ci"))


def test_a_trigger_of_a_registered_type_is_held_to_it_and_called_as_it_is_called():
    world = World()
    register(world)
    world.create(triggers=[on_build(branch="main")])

    world.dispatch(
        "ann",
        "automation/updateRequested",
        resource=A,
        changes={"triggers": [on_build(brunch="main")]},
    )

    (trigger,) = world.entries()["a"]["definition"]["triggers"]
    assert (trigger["title"], trigger["events"]) == (
        "Builds",
        [{"id": "failed", "title": "A build failed"}],
    )
    (reason,) = world.reasons("ann")
    assert "brunch" in reason


def test_a_trigger_of_a_type_that_is_not_registered_is_kept_and_works_once_it_is():
    world = World()
    world.create(triggers=[on_build(branch="main")])
    register(world)

    assert build_failed(world) == 1
    (trigger,) = world.entries()["a"]["definition"]["triggers"]
    assert (trigger["title"], trigger["events"]) == (
        "build",
        [{"id": "failed", "title": "failed"}],
    )


def test_an_unrelated_change_leaves_triggers_and_labels_alone_whatever_became_of_their_type():
    world = World()
    world.create(triggers=[on_build(brunch="main")])
    before = world.entries()["a"]["definition"]["triggers"]
    register(world)

    world.dispatch("ann", "automation/updateRequested", resource=A, changes={"enabled": False})
    world.dispatch("ann", "automation/updateRequested", resource=A, changes={"enabled": True})

    assert world.reasons("ann") == []
    assert world.entries()["a"]["definition"]["triggers"] == before
    assert build_failed(world) == 0


def test_a_trigger_that_failed_its_type_works_once_another_version_takes_it():
    world = World()
    world.create(triggers=[on_build(brunch="main")])
    register(world)
    world.dispatch("ann", "automation/updateRequested", resource=A, changes={"title": "New"})

    world.catalogue.feed(TypeRemoved(type="build", at=world.host.at))
    lenient = attrs.evolve(BUILD, config_schema=None)
    world.catalogue.feed(TypeRegistered(definition=lenient, at=world.host.at, by="ci"))

    assert build_failed(world) == 1


def test_a_change_of_the_session_asks_the_triggers_again():
    world = World()
    world.create(triggers=[on_build(brunch="main")])
    register(world)

    world.dispatch("ann", "automation/updateRequested", resource=A, changes={"session": {}})

    (reason,) = world.reasons("ann")
    assert "triggers[0].config.brunch" in reason


def test_what_only_the_catalogue_may_feed_is_refused():
    world = World()

    with pytest.raises(InputRefusedError, match="Press is the catalogue's own"):
        world.catalogue.feed(Press(automation=A, request_id="r", at=world.host.at))


def test_a_clock_that_stepped_back_moves_nothing_back():
    world = World()
    world.create()
    world.later(60)
    world.host.at = START

    world.dispatch("ann", "automation/updateRequested", resource=A, changes={"title": "New"})

    assert world.entries()["a"]["modifiedAt"] == at(60)


def test_a_date_that_was_moved_back_and_forth_switches_off_once():
    world = World()
    for seconds in (10, 20, 10):
        condition = {"kind": "afterDate", "date": at(seconds)}
        world.catalogue.save_definition(A, normal(disableConditions=[condition]), at=world.host.at)
    world.subscribe("gus")

    world.later(30)

    told = [each["action"]["automation"]["definition"] for each in world.heard("gus")]
    assert [each["enabled"] for each in told] == [False]


def test_a_host_that_says_nothing_of_its_own_takes_all_templates_and_types():
    host = InMemoryHost()
    catalogue = host.catalogue = Catalogue(host, at=START, access=Anyone())
    catalogue.feed(TypeRegistered(definition=BUILD, at=START, by="ci"))
    catalogue.connect("c")
    catalogue.save_definition(A, normal(owner=None), at=START)

    run = catalogue.request(
        "c", "runAutomation", {"channel": ALL, "automation": A, "requestId": "r"}, at=START
    )
    types = catalogue.request(
        "c", "listAutomationTriggerDefinitions", {"channel": "ahp-root://"}, at=START
    )

    assert [start.run for start in host.asked] == [run["resource"]]
    assert [each["type"] for each in types["items"]] == ["session", "watch", "build"]


class Anyone:
    """A host for one person: everybody may everything."""

    def allows(self, principal, grant):
        return True

    def speaks_for(self, principal, owner):
        return True
