"""VS Code's files: the seed's tables, and what is known of VS Code's own reader and writer."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reading.definition_strategies import problems_or_none
from storage.storage_builders import BLUEPRINT, texts
from wakeful.cron import CronExpression
from wakeful.errors import InvalidError
from wakeful.storage.vscode import (
    Blueprint,
    exported_name,
    is_blueprint,
    read_blueprint,
    slug,
    write_blueprint,
)

PROMPT = "Review the commits made to this repository since yesterday morning."

SLUGS = [
    ("Résumé Review", "resume-review"),
    ("Review yesterday's commits", "review-yesterday-s-commits"),
    ("Nightly review", "nightly-review"),
    ("v1.2 check", "v1.2-check"),
    ("  a  --  b..c ", "a-b-c"),
    ("a-..-b", "a-b"),
    (".-a-.", "a"),
    ("ﬁx ①", "fix-1"),
    ("ÅNGSTRÖM", "angstrom"),
    ("日本", "automation"),
    ("", "automation"),
    ("!!!", "automation"),
    ("a" * 70, "a" * 64),
    ("a" * 63 + " b", "a" * 63),
    ("x_y/z", "x-y-z"),
]


@pytest.mark.parametrize(("title", "id_"), SLUGS)
def test_an_id_is_made_of_the_title_as_vscode_makes_it(title, id_):
    assert slug(title) == id_
    assert exported_name(title) == f"{id_}.automation.md"


def test_writes_the_seeds_example():
    name = "Review yesterday's commits"
    written = write_blueprint(Blueprint(name=name, prompt=PROMPT, expression="0 9 * * *"))
    assert written == BLUEPRINT


WRITTEN = [
    (None, "  kind: manual\n"),
    ("0 * * * *", "  kind: hourly\n"),
    ("20 * * * *", "  kind: hourly\n"),
    ("0 9 * * *", '  kind: cron\n  expression: "0 9 * * *"\n  timeZone: local\n'),
    ("30 9 * * 1-5", '  kind: cron\n  expression: "30 9 * * 1-5"\n  timeZone: local\n'),
    ("0 9 * * 0", '  kind: cron\n  expression: "0 9 * * 0"\n  timeZone: local\n'),
    ("*/5 * * * *", '  kind: cron\n  expression: "*/5 * * * *"\n  timeZone: local\n'),
    ("* * * * *", '  kind: cron\n  expression: "* * * * *"\n  timeZone: local\n'),
    ("0,30 * * * *", '  kind: cron\n  expression: "0,30 * * * *"\n  timeZone: local\n'),
]


@pytest.mark.parametrize(("expression", "schedule"), WRITTEN)
def test_a_schedule_is_written_as_vscode_reads_it(expression, schedule):
    text = write_blueprint(Blueprint(name="A", prompt="x", expression=expression))
    assert f"schedule:\n{schedule}---\n\nx\n" in text


READ = [
    ("kind: manual", None),
    ("kind: hourly", "0 * * * *"),
    ('kind: cron\n  expression: "0 9 * * *"\n  timeZone: local', "0 9 * * *"),
    ('kind: cron\n  expression: "0 9 * * 7"\n  timeZone: local', "0 9 * * 7"),
    # More than VS Code's editor: the whole grammar.
    ('kind: cron\n  expression: "20 * * * *"\n  timeZone: local', "20 * * * *"),
    ("kind: cron\n  expression: 0 0 1 jan mon-fri\n  timeZone: local", "0 0 1 jan mon-fri"),
]


def blueprint(schedule="kind: manual", *, head="", version="1", id_="a", name="A", body="x"):
    return (
        f"---\nversion: {version}\nid: {id_}\nname: {name}\n{head}schedule:\n  {schedule}\n"
        f"---\n{body}\n"
    )


@pytest.mark.parametrize(("schedule", "expression"), READ)
def test_a_schedule_is_read_as_the_seed_says(schedule, expression):
    assert read_blueprint(blueprint(schedule)).expression == expression


def test_reads_the_seeds_example():
    assert read_blueprint(BLUEPRINT) == Blueprint(
        name="Review yesterday's commits", prompt=PROMPT, expression="0 9 * * *"
    )


def test_id_and_description_are_not_kept_and_blanks_are_trimmed():
    text = blueprint(head="description: long\n", name="'  A  '", body="\n\n  x \n\n")
    assert read_blueprint(text) == Blueprint(name="A", prompt="x", expression=None)


CRON = 'kind: cron\n  expression: "{}"\n  timeZone: {}'
REFUSED = [
    ("no front matter", "Review it.\n", "invalidFrontmatter"),
    ("no map", "---\n- a\n---\nx\n", "invalidFrontmatter"),
    ("no YAML", "---\na: [\n---\nx\n", "invalidFrontmatter"),
    ("an empty front matter", "---\n---\nx\n", "invalidFrontmatter"),
    ("another version", blueprint(version="2"), "unsupportedVersion: 2"),
    ("a version that is text", blueprint(version="one"), "unsupportedVersion: one"),
    ("a version that is no whole number", blueprint(version="1.0"), "unsupportedVersion: 1.0"),
    ("an id with blanks", blueprint(id_="Review Task"), "invalidId: Review Task"),
    ("an id of two dots", blueprint(id_="a..b"), "invalidId: a..b"),
    ("an id of two dashes", blueprint(id_="a--b"), "invalidId: a--b"),
    ("an id that ends in a dash", blueprint(id_="a-"), "invalidId: a-"),
    ("an id too long", blueprint(id_="a" * 65), f"invalidId: {'a' * 65}"),
    ("no name", blueprint(name="''"), "invalidField: name"),
    ("a name that is a list", blueprint(name="[a]"), "invalidField: name"),
    (
        "a description that is a map",
        blueprint(head="description: {a: 1}\n"),
        "invalidField: description",
    ),
    ("another key", blueprint(head="enabled: true\n"), "unknownProperty: enabled"),
    (
        "another key of the schedule",
        blueprint("kind: hourly\n  minute: 5"),
        "unknownProperty: schedule.minute",
    ),
    ("another kind", blueprint("kind: daily"), "invalidField: schedule.kind"),
    ("no kind", blueprint("{}"), "invalidField: schedule.kind"),
    (
        "an hour that is none",
        blueprint(CRON.format("0 24 * * *", "local")),
        "unsupportedSchedule: 0 24 * * *",
    ),
    ("no five fields", blueprint(CRON.format("@daily", "local")), "unsupportedSchedule: @daily"),
    ("no date", blueprint(CRON.format("0 0 30 2 *", "local")), "unsupportedSchedule: 0 0 30 2 *"),
    (
        "a zone",
        blueprint(CRON.format("0 9 * * *", "Europe/Berlin")),
        "unsupportedTimeZone: Europe/Berlin",
    ),
    ("no prompt", blueprint(body=" \n"), "missingPrompt"),
]


@pytest.mark.parametrize(
    ("text", "sentence"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_a_file_that_vscode_refuses_is_refused_with_its_sentence(text, sentence):
    (problem,) = problems_or_none(read_blueprint, text)
    assert problem.message == sentence
    assert problem.line is not None


def test_what_vscode_would_say_comes_first_and_the_rest_follows():
    text = "---\nversion: 2\nid: A\nname: ''\nschedule: [1]\nextra: 1\n---\n\n"
    with pytest.raises(InvalidError) as caught:
        read_blueprint(text)
    assert [(p.message, p.line) for p in caught.value.problems] == [
        ("unknownProperty: extra", 6),
        ("unsupportedVersion: 2", 2),
        ("invalidId: A", 3),
        ("invalidField: name", 4),
        ("invalidField: schedule", 5),
        ("missingPrompt", 2),
    ]


def test_a_missing_key_is_refused():
    (problem,) = problems_or_none(read_blueprint, "---\nversion: 1\nid: a\nname: A\n---\nx\n")
    assert problem.message == "invalidField: schedule"


def test_vscodes_files_are_told_from_this_librarys_own():
    assert is_blueprint(BLUEPRINT)
    assert not is_blueprint("---\ntitle: A\n---\nx\n")
    assert not is_blueprint("no front matter")


def test_every_file_written_has_an_id_that_reads():
    for title, _ in SLUGS:
        if title.strip():
            read_blueprint(write_blueprint(Blueprint(name=title, prompt="x", expression=None)))


@settings(max_examples=60)
@given(
    texts.filter(str.strip),
    texts,
    st.sampled_from([None, "0 9 * * *", "*/5 8-18 * * mon-fri", "0 * * * *"]),
)
def test_what_is_written_reads_back(name, prompt, expression):
    prompt = f"x{prompt}x".replace("\r\n", "\n")
    text = write_blueprint(Blueprint(name=f"n{name}n", prompt=prompt, expression=expression))
    assert read_blueprint(text) == Blueprint(name=f"n{name}n", prompt=prompt, expression=expression)


@given(st.text(max_size=80))
def test_any_title_makes_an_id_that_vscode_takes(title):
    read_blueprint(blueprint(id_=f'"{slug(title)}"'))
    assert slug(slug(title)) == slug(title)


def test_the_presets_of_vscode_are_schedules_here():
    for expression in ("5 * * * *", "30 9 * * *", "30 9 * * 6", "30 9 * * 1-5"):
        CronExpression.parse(expression)
