"""What rules had in a session, as it is drawn."""

from report_scene import BEGIN, SECOND, automation, called, ended, failed, record, started
from wakeful.report.states import Hits, Wait


def at(seconds):
    return BEGIN + round(seconds * SECOND)


def state_of(scene, records, **config):
    gathered, _ = scene.write(records, automation(**config)).gathered()
    [state] = next(part for part in gathered.sessions if part.lane.name == "s1").states
    return state


def test_hits_rise_to_the_count_and_are_used_up(scene):
    state = state_of(scene, [started(0), failed(1), failed(2)], count={"n": 2})

    assert [Hits(at(1), 1), Hits(at(2), 2), Hits(at(2), 0)] == state.hits
    assert [at(2)] == state.matches


def test_a_run_that_is_broken_falls_to_nothing(scene):
    count = {"n": 3, "consecutive": True}
    state = state_of(scene, [started(0), failed(1), failed(2), called(3)], count=count)

    assert [Hits(at(1), 1), Hits(at(2), 2), Hits(at(3), 0)] == state.hits


def test_hits_grow_too_old_at_the_end_of_the_window(scene):
    records = [started(0), failed(1), failed(5), called(100)]
    state = state_of(scene, records, count={"n": 3, "within": "10s"})

    assert [
        Hits(at(1), 1),
        Hits(at(5), 2),
        Hits(at(11) + 1, 1),
        Hits(at(15) + 1, 0),
    ] == state.hits


def test_hits_that_nothing_came_after_grow_too_old_all_the_same(scene):
    records = [started(0), failed(1), record("idle", 100, "s2")]
    state = state_of(scene, records, count={"n": 3, "within": "10s"})

    assert [Hits(at(1), 1), Hits(at(11) + 1, 0)] == state.hits


def test_a_wait_has_its_deadline_and_how_it_ended(scene):
    records = [started(0), failed(1), called(5), failed(10), record("idle", 100, "s2")]
    state = state_of(scene, records, then={"kind": "idle", "for": "30s"})

    assert [
        Wait(at(1), at(5), at(31), "broken"),
        Wait(at(10), at(40), at(40), "completed"),
    ] == state.waits


def test_a_wait_that_stands_as_the_log_ends_is_open(scene):
    state = state_of(scene, [started(0), failed(1)], then={"kind": "idle", "for": "30s"})

    assert [Wait(at(1), at(1), at(31), "open")] == state.waits


def test_a_window_that_passes_says_so(scene):
    records = [started(0), failed(1), called(60)]
    state = state_of(scene, records, then={"kind": "event", "event": "turnFailed", "within": "30s"})

    assert [Wait(at(1), at(31), at(31), "passed")] == state.waits


def test_a_newer_count_moves_the_window(scene):
    records = [started(0), failed(1), failed(10), ended(20, kind="turnFailed")]
    state = state_of(scene, records, then={"kind": "event", "event": "turnFailed", "within": "30s"})

    assert [
        Wait(at(1), at(10), at(31), "moved"),
        Wait(at(10), at(20), at(40), "completed"),
    ] == state.waits


def test_a_silence_is_timed_from_the_last_sign_of_life(scene):
    records = [started(0), called(10), record("idle", 400, "s2")]
    state = state_of(scene, records, events=("turnCompleted",), when={"turnLongerThan": "5m"})

    assert [Wait(at(10), at(310), at(310), "completed")] == state.waits
    assert [at(310)] == state.matches


def test_what_is_passed_over_is_counted(scene):
    records = [started(0), failed(1), failed(2)]
    state = state_of(scene, records, when={"queuedAtLeast": 1})

    assert (state.passed_over, state.matches) == (2, [])
