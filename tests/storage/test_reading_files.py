"""What automation files can look like, and the answer to each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reading.definition_strategies import problems_or_none
from storage.storage_builders import EXPORTED, NIGHTLY
from wakeful.errors import InvalidError
from wakeful.model.triggers import ScheduleTrigger
from wakeful.reading.markdown import read_automation_file


def problems_of(text):
    with pytest.raises(InvalidError) as caught:
        read_automation_file(text, "a.md")
    assert all(problem.file == "a.md" for problem in caught.value.problems)
    return [(p.path, p.line, p.column, p.sentence) for p in caught.value.problems]


def text_of(file):
    return read_automation_file(file).definition.message.text


def test_reads_the_seeds_example():
    kept = read_automation_file(NIGHTLY)

    assert kept.owner is None
    assert kept.created_at is None
    assert kept.definition.title == "Nightly review"
    assert kept.definition.session == {"provider": "claude"}
    assert kept.definition.message.text.startswith("Review what changed")
    assert kept.definition.message.text.endswith("needs one.")
    assert kept.definition.triggers == (
        ScheduleTrigger(
            id="t1",
            title="Every morning at nine",
            expression="0 9 * * *",
            time_zone="Europe/Berlin",
        ),
    )


def test_reads_the_seeds_exported_example():
    definition = read_automation_file(EXPORTED).definition

    assert definition.triggers[0].misfire_policy == "skip"
    assert definition.session["workingDirectories"] == ["file:///home/softov/ahpd"]


def test_owner_and_the_time_it_was_made_are_keys():
    kept = read_automation_file(
        "---\ntitle: A\nowner: user:ann\ncreatedAt: 2026-10-07T14:22:05.118Z\n---\nLook.\n"
    )
    assert kept.owner == "user:ann"
    assert kept.created_at == 1_791_382_925_118


BODIES = [
    ("a body", "Look.\n", "Look."),
    ("no line end at the end", "Look.", "Look."),
    ("empty lines around", "\n\nLook.\n\n\n", "Look."),
    ("an empty body", "", ""),
    ("a body of empty lines", "\n\n", ""),
    ("a line --- inside", "one\n---\ntwo\n---\n", "one\n---\ntwo\n---"),
    ("a line --- at the start", "---\nmore\n", "---\nmore"),
    ("a line ... inside", "one\n...\ntwo\n", "one\n...\ntwo"),
    ("CRLF", "one\r\ntwo\r\n", "one\ntwo"),
    ("blanks at both ends", "  code\n  \n", "  code\n  "),
    ("YAML that is none", "title: B\n{[\n", "title: B\n{["),
]


@pytest.mark.parametrize(("body", "text"), [row[1:] for row in BODIES], ids=[r[0] for r in BODIES])
def test_the_body_is_the_message(body, text):
    assert text_of(f"---\ntitle: A\n---\n{body}") == text


@pytest.mark.parametrize(
    "file",
    [
        "\ufeff---\ntitle: A\n---\nLook.\n",
        "---\r\ntitle: A\r\n---\r\nLook.\r\n",
        "\ufeff---\r\ntitle: A\r\n---\r\nLook.",
        "---  \ntitle: A\n---\t\nLook.\n",
        "---\n\n# a comment\ntitle: A\n\n---\nLook.\n",
        "---\ntitle: A\nmessage:\n  text: Look.\n---\n",
    ],
)
def test_other_ways_to_write_the_same_file(file):
    kept = read_automation_file(file)

    assert (kept.definition.title, kept.definition.message.text) == ("A", "Look.")


def test_a_message_with_more_than_text_has_it_in_the_front_matter():
    message = read_automation_file(
        "---\ntitle: A\nmessage:\n  model: { id: m }\n---\nLook.\n"
    ).definition.message

    assert (message.text, message.extra) == ("Look.", {"model": {"id": "m"}})


def test_a_fence_inside_a_block_of_text_is_text():
    kept = read_automation_file("---\ntitle: A\n_meta:\n  note: |\n    ---\n    x\n---\nLook.\n")

    assert kept.definition.meta == {"note": "---\nx\n"}


REFUSED = [
    ("no front matter", "# Read me\n", ("", 1, 1), "no front matter"),
    ("an empty file", "", ("", 1, 1), "no front matter"),
    ("text before it", "\n---\ntitle: A\n---\n", ("", 1, 1), "no front matter"),
    ("more than a fence", "----\ntitle: A\n---\n", ("", 1, 1), "no front matter"),
    ("not closed", "---\ntitle: A\nLook.\n", ("", 1, 1), "not closed"),
    ("only its first line", "---", ("", 1, 1), "not closed"),
    ("closed by dots", "---\ntitle: A\n...\nLook.\n---\n", ("", 3, 1), "... does not close"),
    ("no keys", "---\n---\nLook.\n", ("title", 1, 1), "missing"),
    ("a list", "---\n- a\n---\n", ("", 1, 1), "front matter with keys"),
    ("no YAML", "---\ntitle: [\n---\n", ("", 3, 1), "not YAML"),
    ("a repeated key", "---\ntitle: A\ntitle: B\n---\n", ("title", 3, 1), "not repeated"),
    ("a tag", "---\ntitle: !x A\n---\n", ("title", 2, 8), "without a tag"),
    ("an id", "---\ntitle: A\nid: a\n---\n", ("id", 3, 1), "unknown key 'id'"),
    ("a resource", "---\ntitle: A\nresource: x\n---\n", ("resource", 3, 1), "unknown key"),
    ("an empty title", "---\ntitle: ''\n---\n", ("title", 2, 8), "non-empty text"),
    ("a wrong owner", "---\ntitle: A\nowner: ann\n---\n", ("owner", 3, 8), "an owner"),
    (
        "half an instant",
        "---\ntitle: A\ncreatedAt: 2026-10-07\n---\n",
        ("createdAt", 3, 12),
        "inst",
    ),
    ("a message that is none", "---\ntitle: A\nmessage: x\n---\n", ("message", 3, 10), "a map"),
    ("NUL in the body", "---\ntitle: A\n---\nab\0c\n", ("", 4, 3), "NUL"),
    ("NUL in the front matter", "---\ntitle: A\0\n---\n", ("", 2, 9), "NUL"),
    (
        "a text twice",
        "---\ntitle: A\nmessage: { text: x }\n---\nLook.\n",
        ("message.text", 3, 18),
        "one of the two",
    ),
]


@pytest.mark.parametrize(
    ("file", "place", "said"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_refuses_with_line_and_column(file, place, said):
    (found,) = problems_of(file)

    assert found[:3] == place
    assert said in found[3]


def test_every_problem_is_told_in_the_order_of_the_file():
    found = problems_of(
        "\ufeff---\r\ntitle: ''\r\nowner: ann\r\ntriggers:\r\n  - id: t1\r\n    kind: schedule\r\n"
        '    schedule: { expression: "* * *" }\r\nmessage: { text: a }\r\nenabld: true\r\n'
        "---\r\nb\r\n"
    )
    assert [row[:3] for row in found] == [
        ("title", 2, 8),
        ("owner", 3, 8),
        ("triggers[0].schedule.expression", 7, 29),
        ("message.text", 8, 18),
        ("enabld", 9, 1),
    ]


def test_a_problem_of_the_message_stands_at_the_body():
    meta = "_meta: { ahpd: { overlap: quue } }"
    found = problems_of(f"---\ntitle: A\n{meta}\n---\n\nLook.\n")

    assert [(row[0], row[1]) for row in found] == [("_meta.ahpd.overlap", 3)]


@given(st.text(max_size=60) | st.binary(max_size=60).map(lambda data: data.decode("latin-1")))
def test_any_text_is_read_or_refused_with_problems(text):
    for file in (text, f"---\n{text}\n---\n", f"---\ntitle: A\n---\n{text}"):
        found = problems_or_none(read_automation_file, file)
        assert found is None or all(problem.sentence for problem in found)
