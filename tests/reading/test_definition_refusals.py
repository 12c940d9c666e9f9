"""What an automation is refused for, each problem with path, value and expectation."""

import pytest

from reading.refusals import GONE, REFUSALS, UNKNOWN_KEYS, Refusal, good, put
from wakeful.errors import InvalidError, Problem
from wakeful.reading import read_automation, read_definition, read_trigger_type
from wakeful.reading.paths import join


def problems_of(data):
    with pytest.raises(InvalidError) as caught:
        read_automation(data)
    return caught.value.problems


def test_the_table_starts_from_a_good_automation():
    assert read_automation(good()).resource == "ahp-automation:/good"


@pytest.mark.parametrize("row", REFUSALS, ids=lambda row: row.name)
def test_refuses_and_names_exactly_the_one_problem(row: Refusal):
    found = problems_of(row.data())
    assert [(row.path, row.told, row.expected)] == [(p.path, p.value, p.expected) for p in found]


@pytest.mark.parametrize(("where", "key", "meant"), UNKNOWN_KEYS)
def test_names_an_unknown_key_and_the_nearest_known_one(where, key, meant):
    at = join(where, key)
    (problem,) = problems_of(put(good(), at, "x"))
    assert (at, "x") == (problem.path, problem.value)
    assert f"unknown key {key!r}; did you mean {meant!r}?" == problem.message


def test_names_the_known_keys_where_none_is_near():
    (problem,) = problems_of(put(good(), "triggers[0].config.zzzzzz", 1))
    assert problem.expected == "one of the keys filter, count, then, when"
    assert "known here: filter, count, then, when" in problem.message


def test_a_part_of_another_follow_up_is_an_unknown_key():
    data = put(good(), "triggers[0].config.then", {"kind": "idle", "for": "1m", "event": "idle"})
    assert [p.path for p in problems_of(data)] == ["triggers[0].config.then.event"]


def test_names_the_nearest_event():
    (problem,) = problems_of(put(good(), "triggers[0].events[0].id", "toolFailde"))
    assert (
        problem.message == "'toolFailde' is not an event of a session; did you mean 'toolFailed'?"
    )


def test_an_awaited_event_has_to_exist():
    (problem,) = problems_of(put(good(), "triggers[0].config.then.event", "turnComplete"))
    assert problem.path == "triggers[0].config.then.event"
    assert "did you mean 'turnCompleted'?" in problem.message


def test_a_number_that_no_selected_preset_has_is_refused():
    (problem,) = problems_of(put(good(), "triggers[1].config.minutes", 3))
    assert problem.path == "triggers[1].config.minutes"
    assert problem.expected == "a number of the selected presets: times"


def test_a_number_of_one_of_several_presets_is_fine():
    data = put(good(), "triggers[1].events", [{"id": "idle-after-failure"}, {"id": "looks-stuck"}])
    assert read_automation(data).definition.triggers[1].rules[1][1].count.n == 4


def test_pinned_with_parallel_is_refused_by_the_shorthands():
    data = put(put(good(), "pinned", True), "overlap", "parallel")
    assert [(p.path, p.expected) for p in problems_of(data)] == [
        ("overlap", "queue, steer or skip")
    ]


def test_pinned_with_parallel_is_refused_by_the_notes():
    data = {
        "title": "T",
        "message": {"text": ""},
        "_meta": {"ahpd": {"session": "pinned", "overlap": "parallel"}},
    }
    with pytest.raises(InvalidError) as caught:
        read_definition(data)
    assert [p.path for p in caught.value.problems] == ["_meta.ahpd.overlap"]


def test_a_shorthand_that_says_not_pinned_contradicts_the_note():
    data = put(put(good(), "_meta.ahpd", {"session": "pinned"}), "pinned", False)
    assert [p.path for p in problems_of(data)] == ["pinned"]


def test_each_kind_of_disable_condition_stands_once():
    twice = [{"kind": "afterRuns", "max": 5}, {"kind": "afterRuns", "max": 5}]
    (problem,) = problems_of(put(good(), "disableConditions", twice))
    assert problem.path == "disableConditions[1].kind"
    assert problem.expected == "each kind of condition at most once"


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("0 0 30 2 *", "never"),
        ("61 9 * * *", "minute"),
        ("0 9 * *", "five"),
        ("0 9 * * FRI-MON", "day of week"),
    ],
)
def test_an_expression_is_refused_with_its_field_and_the_reason(expression, said):
    (problem,) = problems_of(put(good(), "triggers[2].schedule.expression", expression))
    assert (problem.path, problem.value) == ("triggers[2].schedule.expression", expression)
    assert said in problem.message


def test_every_bad_field_of_an_expression_is_a_problem():
    found = problems_of(put(good(), "triggers[2].schedule.expression", "61 25 * * 9"))
    assert [p.path for p in found] == ["triggers[2].schedule.expression"] * 3


def test_a_zone_is_named_exactly():
    (problem,) = problems_of(put(good(), "triggers[2].schedule.timeZone", "europe/berlin"))
    assert (problem.path, problem.value) == ("triggers[2].schedule.timeZone", "europe/berlin")


def test_everything_is_told_at_once_in_the_order_of_the_data():
    data = good()
    for at, value in (
        ("title", ""),
        ("triggers[0].config.count.n", "3"),
        ("triggers[0].config.count.cosecutive", True),
        ("triggers[1].id", "s"),
        ("triggers[2].schedule.timeZone", "Nowhere"),
        ("disableConditions[0].max", 0),
        ("colour", "red"),
    ):
        data = put(data, at, value)
    del data["message"]
    assert [p.path for p in problems_of(data)] == [
        "title",
        "triggers[0].config.count.n",
        "triggers[0].config.count.cosecutive",
        "triggers[1].id",
        "triggers[2].schedule.timeZone",
        "disableConditions[0].max",
        "colour",
        "message",
    ]


@pytest.mark.parametrize("data", [None, 5, "text", [], [1], True, 1.5])
def test_what_is_no_map_is_refused_as_a_whole(data):
    (problem,) = problems_of(data)
    assert (problem.path, problem.value) == ("", data)


def test_the_protocol_s_shape_has_paths_of_its_own():
    definition = {**good()}
    for key in ("id", "owner", "overlap"):
        del definition[key]
    data = {"resource": "automation:/x", "definition": put(definition, "title", ""), "id": "x"}
    assert [(p.path, p.expected) for p in problems_of(data)] == [
        ("resource", "an automation's resource: ahp-automation:/ with an id"),
        ("definition.title", "non-empty text"),
        ("id", "one of the keys resource, definition, owner"),
    ]


@pytest.mark.parametrize("id_", ["", " a", "a ", "ahp-automation:/a", "/a", "a\nb", 5, None])
def test_an_id_is_text_on_one_line_without_the_scheme(id_):
    assert [(p.path, p.value) for p in problems_of(put(good(), "id", id_))] == [("id", id_)]


@pytest.mark.parametrize(
    ("at", "value", "path"),
    [
        ("_meta.deep", float("nan"), "_meta.deep"),
        ("_meta.deep", {"a": {5: 1}}, "_meta.deep.a[5]"),
        ("_meta.deep", [1, {2}], "_meta.deep[1]"),
        ("triggers[3].config.branch", b"main", "triggers[3].config.branch"),
        ("message.extra", float("inf"), "message.extra"),
        ("session.config", {"x": "\ud800"}, "session.config.x"),
    ],
)
def test_free_data_is_what_json_can_hold(at, value, path):
    assert [p.path for p in problems_of(put(good(), at, value))] == [path]


def test_free_data_that_holds_itself_is_refused():
    loop = []
    loop.append(loop)
    (problem,) = problems_of(put(good(), "_meta.loop", loop))
    assert problem.expected == "data nested at most 64 deep"


TYPE = {"type": "git.push", "title": "Pushes", "events": [{"id": "pushed", "title": "Pushed"}]}


@pytest.mark.parametrize(
    ("at", "value", "path"),
    [
        ("type", "session", "type"),
        ("type", "watch", "type"),
        ("type", "", "type"),
        ("title", "", "title"),
        ("events", [], "events"),
        ("events[0].title", GONE, "events[0].title"),
        ("configSchema", [], "configSchema"),
        ("events", [{"id": "a", "title": "A"}, {"id": "a", "title": "B"}], "events[1].id"),
        ("schema", {}, "schema"),
    ],
)
def test_a_trigger_type_is_refused(at, value, path):
    with pytest.raises(InvalidError) as caught:
        read_trigger_type(put(TYPE, at, value))
    assert [p.path for p in caught.value.problems] == [path]


def test_a_problem_is_the_public_record():
    assert all(isinstance(p, Problem) for p in problems_of({"id": "x", "colour": 1}))
