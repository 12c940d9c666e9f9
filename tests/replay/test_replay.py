"""Replays as a library: the outputs, one by one, and what came of them."""

from replay_cases import at, automation, event, failure
from replay_player import ZERO, inputs
from replay_player import player as replay
from wakeful.model.outputs import Decision, Match
from wakeful.reading import DeclaredType, read_automation, read_trigger_type
from wakeful.replay import replay as play_through


def kinds(outputs):
    return [output.kind.value for output in outputs if isinstance(output, Decision)]


ONE = automation("one", "toolFailed")
QUIET = automation("quiet", "turnFailed", then={"kind": "idle", "for": "1m"})


def test_each_match_is_followed_by_its_decision():
    outputs = list(replay(ONE).outputs(inputs(failure(0), failure(1))))

    assert [type(output) for output in outputs] == [Match, Decision, Match, Decision]


def test_outputs_come_before_later_inputs_are_read():
    read = []

    def log():
        for one in inputs(failure(0), failure(1)):
            read.append(one.at)
            yield one

    first = next(replay(ONE).outputs(log()))

    assert first.at == ZERO
    assert read == [ZERO]


def test_what_falls_due_in_a_gap_comes_one_by_one_and_before_what_ends_it():
    sessions = [f"s{n}" for n in range(3)]
    log = [event(n, "turnFailed", session) for n, session in enumerate(sessions)]

    outputs = replay(QUIET).outputs(inputs(*log, event(900, "turnFailed", "s9")))

    assert [(output.at - ZERO) / 1_000 for output in outputs if isinstance(output, Match)] == [
        *(60, 61, 62)
    ]


def test_stepping_from_deadline_to_deadline_gives_what_feeding_alone_gives():
    log = inputs(
        *(event(n * 7, "turnFailed", f"s{n % 3}") for n in range(40)),
        *(failure(300 + n * 31, f"s{n % 2}") for n in range(20)),
    )
    stepped = list(replay(ONE, QUIET).outputs(log))

    assert stepped == replay(ONE, QUIET).engine.feed_many(log)


def test_the_same_log_gives_the_same_outputs():
    log = inputs(*(failure(n, f"s{n % 4}") for n in range(50)))
    first, second = (list(replay(ONE, run_time=7_000).outputs(log)) for _ in range(2))

    assert first == second
    assert {"start", "hold", "fold", "release", "drop"} >= set(kinds(first)) >= {"start", "fold"}


def test_the_function_gives_the_outputs_of_a_replay():
    log = inputs(*(failure(n) for n in range(9)))
    rules = [read_automation(ONE)]

    outputs = list(play_through(log, rules, run_time=4_000, until=ZERO + 60_000))

    assert outputs == list(replay(ONE, run_time=4_000, until=ZERO + 60_000).outputs(log))
    assert kinds(outputs)[-1] == "release"


def test_until_ends_the_replay_at_that_instant():
    player = replay(QUIET, until=ZERO + 60_000)

    assert kinds(player.outputs(inputs(event(0, "turnFailed"), event(61, "turnFailed")))) == [
        "start"
    ]
    assert player.summary().ended_at == ZERO + 60_000


def test_without_until_it_ends_with_the_last_record():
    player = replay(QUIET)

    assert list(player.outputs(inputs(event(0, "turnFailed"), event(59, "activity", "s2")))) == []
    (waiting,) = player.summary().waiting
    assert (waiting.what, waiting.deadline) == ("idle", ZERO + 60_000)


def test_an_owner_sees_every_session_until_a_change_of_grants_names_it():
    owned = {**ONE, "owner": "user:ann"}
    grants = {"at": at(2), "kind": "grantsChanged", "principal": "user:ann", "grants": []}

    player = replay(owned)

    assert kinds(player.outputs(inputs(failure(0), grants, failure(3)))) == ["start"]


def hook(*events):
    made = automation("hook", *events)
    made["triggers"][0]["type"] = "review"
    return made


def fired(seconds, event_="opened", **members):
    return {
        "at": at(seconds),
        "kind": "plugin",
        "type": "review",
        "event": event_,
        "data": {},
        **members,
    }


class TestTypes:
    REVIEW = read_trigger_type(
        {"type": "review", "title": "Review", "events": [{"id": "opened", "title": "Opened"}]}
    )

    def test_one_that_nothing_declares_is_taken_as_registered_and_anyone_fires_it(self):
        player = replay(hook("opened"))

        assert kinds(player.outputs(inputs(fired(0), fired(1, by="plugin:x")))) == ["start"] * 2

    def test_a_declared_one_is_fired_by_the_plugin_it_names(self):
        player = replay(hook("opened"), types=[DeclaredType(self.REVIEW, "plugin:review")])
        log = inputs(fired(0, by="plugin:x"), fired(1, by="plugin:review"))

        assert [output.at - ZERO for output in player.outputs(log)] == [1_000, 1_000]

    def test_a_record_that_registers_one_takes_the_place_of_what_was_taken(self):
        registered = {
            "at": at(5),
            "kind": "typeRegistered",
            "by": "plugin:review",
            "definition": {
                "type": "review",
                "title": "Review",
                "events": [{"id": "opened", "title": "Opened"}],
            },
        }
        player = replay(hook("opened"))
        log = inputs(fired(0), registered, fired(6, by="plugin:x"), fired(7, by="plugin:review"))

        assert [(output.at - ZERO) for output in player.outputs(log)][::2] == [0, 7_000]

    def test_a_definition_saved_in_the_log_brings_its_type_along(self):
        saved = {
            "at": at(1),
            "kind": "definitionSaved",
            "automation": "ahp-automation:/hook",
            "definition": {
                name: value
                for name, value in hook("closed").items()
                if name not in {"id", "overlap"}
            },
        }
        player = replay()

        assert kinds(player.outputs(inputs(saved, fired(2, "closed")))) == ["start"]
