"""Any definition to a file and back; and files that people wrote, edited."""

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reading.definition_strategies import plain_data, plain_maps
from storage.storage_builders import (
    EXPORTED,
    NIGHTLY,
    definition,
    has_nul,
    kept_automations,
    scheduled,
)
from wakeful.errors import InvalidError
from wakeful.model.automations import Message
from wakeful.reading import write_definition
from wakeful.reading.definitions import KeptAutomation
from wakeful.reading.markdown import read_automation_file
from wakeful.reading.yaml_text import read_yaml
from wakeful.storage.automation_text import edit_automation_text, write_automation_text
from wakeful.storage.yaml_editing import edit_yaml, same
from wakeful.storage.yaml_writing import scalar, to_yaml

HAND_WRITTEN = """\
---
# What runs at night.
title:    'Nightly review'   # shown in the list
session: {provider: claude,   config: { level:  3 }}

triggers:
- id:   t1
  kind: schedule
  schedule:
      expression:  0 9 * * *   # nine
      timeZone: Europe/Berlin

  # The second one, for failures.
- id: t2
  kind: event
  type: session
  events: [ { id: toolFailed } ]
  config:
    count: {n: 3, within: 300s}
overlap: skip
owner: user:ann
# the end
---

  Review it.

Thank you.


"""


def edited(text, **changes):
    kept = read_automation_file(text)
    owner = changes.pop("owner", kept.owner)
    after = attrs.evolve(kept, definition=attrs.evolve(kept.definition, **changes), owner=owner)
    result = edit_automation_text(text, after)
    assert read_automation_file(result) == after
    return result


def nul(kept):
    return has_nul(write_definition(kept.definition))


# -- round trips --------------------------------------------------------------------------------


@settings(max_examples=40)
@given(kept_automations())
def test_any_definition_to_a_file_and_back_is_equal(kept):
    if nul(kept):
        with pytest.raises(InvalidError, match="NUL"):
            write_automation_text(kept)
        return
    assert read_automation_file(write_automation_text(kept)) == kept


@settings(max_examples=30)
@given(kept_automations(), kept_automations())
def test_any_definition_can_be_edited_to_any_other(before, after):
    if nul(before) or nul(after):
        return
    text = edit_automation_text(write_automation_text(before), after)
    created_at = before.created_at if after.created_at is None else after.created_at

    assert read_automation_file(text) == attrs.evolve(after, created_at=created_at)


@settings(max_examples=20)
@given(kept_automations())
def test_a_file_that_means_it_already_is_left_alone(kept):
    if nul(kept):
        return
    text = write_automation_text(kept)
    assert edit_automation_text(text, kept) == text


def test_a_megabyte_of_text_goes_to_a_file_and_back():
    text = ("---\n" + "a line of text: with 'quotes' and 😀\n" * 28_000)[:999_999] + "x"
    kept = KeptAutomation(definition=definition(text=text))
    assert read_automation_file(write_automation_text(kept)) == kept


@pytest.mark.parametrize("text", ["a\0b", "\0"])
def test_a_nul_is_refused(text):
    with pytest.raises(InvalidError, match="a text with a NUL cannot be kept") as caught:
        write_automation_text(KeptAutomation(definition=definition(text=text)))
    assert caught.value.problems[0].path == "message.text"


@pytest.mark.parametrize("text", ["a\r\nb", "\na", "a\n", "\n", "a\r"])
def test_a_text_that_no_body_can_hold_stands_in_the_front_matter(text):
    kept = KeptAutomation(definition=definition(text=text))
    written = write_automation_text(kept)
    assert written.endswith("---\n")
    assert read_automation_file(written) == kept


def test_a_new_file_looks_like_the_seeds():
    kept = read_automation_file(NIGHTLY)
    expected = NIGHTLY.replace("Europe/Berlin\n", "Europe/Berlin\n    misfirePolicy: runOnce\n")
    assert write_automation_text(kept) == expected


def test_a_new_file_of_the_exported_example_is_that_example():
    assert write_automation_text(read_automation_file(EXPORTED)) == EXPORTED


def test_the_owner_is_a_key_and_not_a_note():
    note = {"ahpd.owner": "user:ann", "other": 1}
    kept = KeptAutomation(definition=definition(_meta=note), owner="user:ann")
    text = write_automation_text(kept)
    assert "owner: user:ann\n" in text
    assert "ahpd.owner" not in text
    assert read_automation_file(text).owner == "user:ann"


def test_the_chat_of_a_pinned_automation_is_not_written():
    notes = {"ahpd": {"session": "pinned", "pinnedSession": "ahp-session:/1"}}
    text = write_automation_text(KeptAutomation(definition=definition(_meta=notes)))
    assert "ahp-session" not in text
    assert read_automation_file(text).definition.pinned


# -- edits --------------------------------------------------------------------------------------

EDITS = [
    ("the title", {"title": "Daily review"}, "'Nightly review'", "'Daily review'"),
    ("a title with a quote", {"title": "Ann's"}, "'Nightly review'", "'Ann''s'"),
    ("a title with a line end", {"title": "a\nb"}, "'Nightly review'", '"a\\nb"'),
    ("the overlap", {"overlap": "queue", "meta": {"ahpd": {"overlap": "queue"}}}, "skip", "queue"),
    ("the owner", {"owner": "user:bob"}, "user:ann", "user:bob"),
    (
        "a value in braces",
        {"session": {"provider": "codex", "config": {"level": 3}}},
        "claude",
        "codex",
    ),
    (
        "a value in inner braces",
        {"session": {"provider": "claude", "config": {"level": 4}}},
        "level:  3",
        "level:  4",
    ),
    (
        "the message",
        {"message": Message(text="One.\n\nTwo.")},
        "  Review it.\n\nThank you.",
        "One.\n\nTwo.",
    ),
    ("switched off", {"enabled": False}, "# the end\n", "enabled: false\n# the end\n"),
]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("changes", "old", "new"), [row[1:] for row in EDITS], ids=[row[0] for row in EDITS]
)
def test_a_file_written_by_hand_keeps_its_bytes_except_what_was_edited(changes, old, new, end):
    text = HAND_WRITTEN.replace("\n", end)
    if old == "# the end\n":
        old, new = "owner: user:ann\n", "owner: user:ann\nenabled: false\n"
    assert text.count(old.replace("\n", end)) == 1
    expected = text.replace(old.replace("\n", end), new.replace("\n", end))

    assert edited(text, **changes) == expected


def test_a_trigger_that_is_edited_changes_its_own_line():
    before = read_automation_file(HAND_WRITTEN).definition.triggers
    first = attrs.evolve(before[0], expression="*/5 * * * *")
    assert edited(HAND_WRITTEN, triggers=(first, before[1])) == HAND_WRITTEN.replace(
        "0 9 * * *", '"*/5 * * * *"'
    )


def test_a_trigger_that_is_removed_takes_its_lines_and_no_comment():
    (_, second) = read_automation_file(HAND_WRITTEN).definition.triggers
    start = HAND_WRITTEN.index("- id:   t1")
    end = HAND_WRITTEN.index("\n  # The second one")
    assert edited(HAND_WRITTEN, triggers=(second,)) == HAND_WRITTEN[:start] + HAND_WRITTEN[end:]


def test_a_trigger_that_is_added_goes_behind_the_others():
    before = read_automation_file(HAND_WRITTEN).definition.triggers
    more = definition(triggers=[scheduled("10 * * * *", "t3")]).triggers
    added = """\
- id: t3
  kind: schedule
  schedule:
    expression: 10 * * * *
    timeZone: Europe/Berlin
  misfirePolicy: runOnce
"""
    assert edited(HAND_WRITTEN, triggers=before + more) == HAND_WRITTEN.replace(
        "overlap: skip", f"{added}overlap: skip"
    )


def test_a_duration_stays_as_it_was_written_while_another_part_of_the_rule_changes():
    first, second = read_automation_file(HAND_WRITTEN).definition.triggers
    rule = attrs.evolve(second.rule, count=attrs.evolve(second.rule.count, n=4))
    result = edited(HAND_WRITTEN, triggers=(first, attrs.evolve(second, rule=rule)))
    assert result == HAND_WRITTEN.replace("{n: 3,", "{n: 4,")


def test_a_byte_order_mark_stays():
    assert edited("\ufeff" + HAND_WRITTEN, title="B").startswith("\ufeff---\n# What runs")


def test_a_text_that_stands_in_the_front_matter_is_edited_there():
    text = "---\ntitle: A\nmessage: {text: one}   # short\n---\n"
    assert edited(text, message=Message(text="two")) == text.replace("one", "two")


def test_a_text_that_fits_no_body_moves_to_the_front_matter():
    result = edited(HAND_WRITTEN, message=Message(text="a\r\nb"))
    assert result.startswith(HAND_WRITTEN[: HAND_WRITTEN.index("# the end")])
    assert 'message:\n  text: "a\\r\\nb"\n' in result


def test_aliases_are_written_anew_where_only_one_of_them_changes():
    text = "---\ntitle: A\nsession:\n  config: &c {a: 1}\n_meta:\n  other: *c\n---\nLook.\n"
    result = edited(text, session={"config": {"a": 2}})
    assert read_automation_file(result).definition.meta == {"other": {"a": 1}}


# -- YAML ---------------------------------------------------------------------------------------


@given(plain_data)
def test_any_plain_data_to_yaml_and_back_is_equal(data):
    assert same(read_yaml(to_yaml(data)), data)
    assert same(read_yaml(to_yaml({"a": [data]}, in_line=True)), {"a": [data]})


@given(st.text(), st.sampled_from([None, "'", '"']))
def test_a_text_on_one_line_reads_back_in_any_quotes(text, quote):
    word = scalar(text, quote)
    assert "\n" not in word
    assert read_yaml(f"a: {word}\n") == {"a": text}
    assert read_yaml(f"{{a: {word}, b: [{word}]}}\n") == {"a": text, "b": [text]}


@given(plain_maps, plain_maps)
def test_yaml_of_any_data_can_be_edited_to_any_other(old, new):
    assert same(read_yaml(edit_yaml(to_yaml(old), old, new)) or {}, new)


COMMENTED = """\
# top
a: 1   # one
b:     # two
  - x  # three
  # four
  - y: {z:   [1, 2]}   # five
c: |
  text
  of lines
# six
d: 'q'  # seven
"""


@settings(max_examples=40)
@given(st.fixed_dictionaries({}, optional={"a": plain_data, "c": plain_data, "d": plain_data}))
def test_comments_between_values_outlive_any_edit_of_scalars(changes):
    old = read_yaml(COMMENTED)
    result = edit_yaml(COMMENTED, old, {**old, **changes})

    assert same(read_yaml(result), {**old, **changes})
    for comment in ("# top", "# two", "# three", "# four", "# five", "# six"):
        assert result.count(comment) == 1
    assert "y: {z:   [1, 2]}" in result


@pytest.mark.deep
@settings(max_examples=400)
@given(kept_automations(), kept_automations())
def test_any_edit_at_length(before, after):
    if nul(before) or nul(after):
        return
    text = edit_automation_text(write_automation_text(before), after)
    created_at = before.created_at if after.created_at is None else after.created_at
    assert read_automation_file(text) == attrs.evolve(after, created_at=created_at)
