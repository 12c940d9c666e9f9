"""What a session did, as it is drawn."""

from report_scene import BEGIN, SECOND, called, ended, failed, record, started
from wakeful.report.kept import CODES
from wakeful.report.lanes import Mark, Queue, Span, Turn, drawn


def at(seconds):
    return BEGIN + round(seconds * SECOND)


def lane_of(scene, records):
    gathered, _ = scene.write(records).gathered()
    [part] = gathered.sessions
    return part.drawn


def test_a_turn_lasts_from_its_start_to_its_ending(scene):
    records = [started(0), ended(5), started(10), ended(12, kind="turnFailed")]

    expected = [Turn(at(0), at(5), "completed"), Turn(at(10), at(12), "failed")]
    assert expected == lane_of(scene, records).turns


def test_a_turn_that_another_replaces_says_so(scene):
    records = [started(0), started(10), ended(12, kind="turnCancelled")]

    expected = [Turn(at(0), at(10), "replaced"), Turn(at(10), at(12), "cancelled")]
    assert expected == lane_of(scene, records).turns


def test_a_turn_that_still_runs_as_the_log_ends_is_open(scene):
    assert [Turn(at(0), at(9), "open")] == lane_of(scene, [started(0), called(9)]).turns


def test_the_end_of_a_session_ends_its_turn_and_empties_its_queue(scene):
    records = [started(0), record("messageQueued", 1, running=True, queued=2)]
    found = lane_of(scene, [*records, record("sessionEnded", 5)])

    assert [Turn(at(0), at(5), "ended")] == found.turns
    assert [Queue(at(1), 2), Queue(at(5), 0)] == found.queue


def test_an_ending_of_a_turn_that_was_not_seen_to_start_draws_no_turn(scene):
    assert lane_of(scene, [ended(5)]).turns == []


def test_calls_and_failures_are_marks_with_their_tools(scene):
    found = lane_of(scene, [started(0), called(1), failed(2)])

    assert [Mark(at(1), CODES["toolCalled"], 1), Mark(at(2), CODES["toolFailed"], 2)] == found.marks


def test_a_turn_is_silent_between_signs_of_life_two_minutes_apart(scene):
    records = [started(0), called(119), called(239), record("activity", 250), ended(260)]

    assert [Span(at(119), at(239))] == lane_of(scene, records).silences


def test_activity_breaks_a_silence(scene):
    records = [started(0), record("activity", 100), ended(200)]

    assert lane_of(scene, records).silences == []


def test_nothing_is_silent_between_turns(scene):
    assert lane_of(scene, [started(0), ended(5), started(900), ended(901)]).silences == []


def test_a_silence_is_open_where_the_log_ends_in_it(scene):
    records = [started(0), called(1), record("idle", 500, "s2")]
    gathered, _ = scene.write(records).gathered()

    assert [Span(at(1), at(500))] == gathered.sessions[0].drawn.silences


def test_the_queue_is_told_as_it_changes(scene):
    records = [
        started(0),
        record("messageQueued", 1, running=True, queued=1),
        record("messageQueued", 2, running=True, queued=2),
        called(3) | {"queued": 2},
        ended(4),
    ]

    assert [Queue(at(1), 1), Queue(at(2), 2), Queue(at(4), 0)] == lane_of(scene, records).queue


def test_an_input_that_is_late_stands_where_the_engine_took_it(scene):
    found = lane_of(scene, [started(10), failed(5)])

    assert [Mark(at(10), CODES["toolFailed"], 1)] == found.marks


def test_what_was_over_before_the_first_instant_shown_is_left_out(scene):
    records = [started(0), failed(1), ended(5), started(10), failed(11), ended(12)]
    gathered, _ = scene.write(records).gathered()
    found = drawn(gathered.sessions[0].lane, at(12), at(8))

    assert [Turn(at(10), at(12), "completed")] == found.turns
    assert [at(11)] == [each.at for each in found.marks]
