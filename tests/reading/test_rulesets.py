"""Rulesets from files, folders and the package, each problem with file, line and column."""

import json
import os
import shutil
import sys
import threading
from pathlib import Path

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reading.definition_strategies import problems_or_none
from reading.refusals import REFUSALS, UNKNOWN_KEYS, good, put
from wakeful.errors import MISSING, InvalidError
from wakeful.reading import load_rules, read_automation, shipped_rules_folder
from wakeful.reading.paths import join, parents, split
from wakeful.reading.rulesets import ruleset_places
from wakeful.reading.yaml_text import read_yaml


def problems_of(*paths):
    with pytest.raises(InvalidError) as caught:
        load_rules(paths)
    return caught.value.problems


def automation(id_, **more):
    return {"id": id_, "title": id_, "message": {"text": "x"}, **more}


def write(folder, name, *automations, types=None):
    data = {"automations": list(automations)}
    if types is not None:
        data["types"] = types
    (folder / name).write_text(json.dumps(data))
    return folder / name


def ids(ruleset):
    return [a.resource.removeprefix("ahp-automation:/") for a in ruleset.automations]


# What is read


@pytest.mark.parametrize("name", ["rules.yaml", "rules.yml", "rules.json", "RULES.YAML", "rules"])
def test_reads_a_file(tmp_path, name):
    file = write(tmp_path, name, good())
    assert load_rules([file]).automations == (read_automation(good()),)
    assert load_rules([str(file)]) == load_rules([file])


def test_reads_yaml_as_the_interfaces_page_writes_it(tmp_path):
    file = tmp_path / "rules.yaml"
    file.write_text("""\
# comments are fine
automations:
  - id: failing-tests
    title: Failing tests
    owner: user:ann
    enabled: true
    overlap: queue
    pinned: false
    message: { text: "{{event}} in {{sessionTitle}}: look at it." }
    session: { provider: claude }
    triggers: []
""")
    (found,) = load_rules([file]).automations
    assert found == read_automation(
        {
            "id": "failing-tests",
            "title": "Failing tests",
            "owner": "user:ann",
            "message": {"text": "{{event}} in {{sessionTitle}}: look at it."},
            "session": {"provider": "claude"},
            "_meta": {"ahpd": {"overlap": "queue"}},
        }
    )


def test_reads_the_protocol_s_shape_beside_the_ruleset_s(tmp_path):
    entry = {
        "resource": "ahp-automation:/b",
        "definition": {"title": "B", "message": {"text": "x"}},
    }
    assert ids(load_rules([write(tmp_path, "a.json", automation("a"), entry)])) == ["a", "b"]


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"automations": [automation("a")]}), encoding="utf-8-sig")
    assert ids(load_rules([file])) == ["a"]


def test_a_folder_is_its_files_by_name(tmp_path):
    for name in ("b.yaml", "a.json", "c.yml", "B.json"):
        write(tmp_path, name, automation(name))
    write(tmp_path, "a.test.yaml", automation("a rule test"))
    write(tmp_path, "notes.txt", automation("another suffix"))
    (tmp_path / "below").mkdir()
    write(tmp_path / "below", "d.yaml", automation("below"))
    assert ids(load_rules([tmp_path])) == ["B.json", "a.json", "b.yaml", "c.yml"]


def test_paths_are_taken_in_the_order_given(tmp_path):
    (tmp_path / "folder").mkdir()
    write(tmp_path / "folder", "z.json", automation("z"))
    first = write(tmp_path, "m.json", automation("m2"), automation("m1"))
    last = write(tmp_path, "a.json", automation("a"))
    assert ids(load_rules([first, tmp_path / "folder", last])) == ["m2", "m1", "z", "a"]


def test_no_paths_are_no_rules():
    assert ids(load_rules([])) == []


def test_types_are_declared_with_who_may_fire_them(tmp_path):
    push = {"type": "git.push", "title": "Pushes", "events": [{"id": "a", "title": "A"}]}
    types = [push, {**push, "type": "mail", "by": "plugin:mail"}]
    found = load_rules([write(tmp_path, "a.json", types=types)]).types
    assert [(t.definition.type, t.by) for t in found] == [
        ("git.push", None),
        ("mail", "plugin:mail"),
    ]


def test_a_file_may_declare_types_alone(tmp_path):
    (tmp_path / "a.yaml").write_text("types: []\n_meta: {by: us}\n")
    assert load_rules([tmp_path]).automations == ()


# Rules that come with the package


def test_all_that_comes_with_the_package():
    assert sorted(ids(load_rules(["@"]))) == ids(load_rules(["@"]))
    assert {"failing-tools", "repeating-failure"} <= set(ids(load_rules(["@"])))


def test_one_that_comes_with_the_package():
    assert ids(load_rules(["@failing-tools"])) == ["failing-tools"]


def test_a_name_that_does_not_come_with_the_package():
    (problem,) = problems_of("@failing-tool")
    assert (problem.file, problem.expected) == (
        "@failing-tool",
        "a rule that comes with the package",
    )
    assert "did you mean @failing-tools?" in problem.message


def test_a_path_object_is_a_path_whatever_it_begins_with(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "@mine.json", automation("mine"))
    assert ids(load_rules([Path("@mine.json")])) == ["mine"]


def test_the_rules_are_found_inside_an_installed_package(tmp_path):
    import subprocess

    import wakeful

    package = tmp_path / "wakeful"
    shutil.copytree(Path(wakeful.__file__).parent, package)
    shutil.copytree(shipped_rules_folder(), package / "data" / "rulesets", dirs_exist_ok=True)
    code = "from wakeful.reading import shipped_rules_folder as f; print(f())"
    found = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert str(package / "data" / "rulesets") == found.stdout.strip()


# Refusals: each row of the table, in a JSON file and as YAML


def starts_with(text, line, column):
    lines = text.split("\n")
    rest = "\n".join([lines[line - 1][column - 1 :], *lines[line:]])
    return json.JSONDecoder().raw_decode(rest)[0]


@pytest.mark.parametrize("suffix", [".json", ".yaml"])
@pytest.mark.parametrize("row", REFUSALS, ids=lambda row: row.name)
def test_a_problem_stands_where_the_value_stands(tmp_path, suffix, row):
    data = {"automations": [automation("first"), row.data()]}
    text = json.dumps(data, indent=1)  # JSON is YAML, and says where each value starts
    file = tmp_path / f"rules{suffix}"
    file.write_text(text)
    (problem,) = problems_of(file)
    path = join("automations[1]", row.path)
    assert (path, row.told, row.expected) == (problem.path, problem.value, problem.expected)
    assert str(file) == problem.file
    # What is missing is shown at the map that lacks it.
    shown = next(p for p in parents(path) if p != path) if problem.value is MISSING else path
    value = data
    for step in split(shown):
        value = value[step]
    assert value == starts_with(text, problem.line, problem.column)


@pytest.mark.parametrize("suffix", [".json", ".yaml"])
@pytest.mark.parametrize(("where", "key", "meant"), UNKNOWN_KEYS)
def test_an_unknown_key_stands_where_the_key_stands(tmp_path, suffix, where, key, meant):
    text = json.dumps(
        {"automations": [put(good(), join(where, key), "x")]},
        indent="\t" if suffix == ".json" else 2,
    )
    file = tmp_path / f"rules{suffix}"
    file.write_text(text)
    (problem,) = problems_of(file)
    assert join(join("automations[0]", where), key) == problem.path
    assert key == starts_with(text, problem.line, problem.column)
    assert f"did you mean {meant!r}?" in problem.message


def test_lines_and_columns_of_block_yaml(tmp_path):
    file = tmp_path / "rules.yaml"
    file.write_text("""\
automations:
  - id: é-first
    title: ""
    colour: red
    triggers:
      - id: t
        kind: event
        type: session
        events: [{ id: toolFailed }, { id: toolFaild }]
        config:
          count:
            n: "3"
            wihtin: 5m
          when: { running: yes }
          then:
            kind: event
            event: idle
""")
    assert [
        (p.line, p.column, p.path.removeprefix("automations[0]")) for p in problems_of(file)
    ] == [
        (3, 12, ".title"),
        (4, 5, ".colour"),
        (9, 44, ".triggers[0].events[1].id"),
        (12, 16, ".triggers[0].config.count.n"),
        (13, 13, ".triggers[0].config.count.wihtin"),
        (14, 28, ".triggers[0].config.when.running"),
        (16, 13, ".triggers[0].config.then.within"),
        (2, 5, ".message"),
    ]


def test_a_problem_inside_an_alias_is_shown_at_the_alias(tmp_path):
    file = tmp_path / "rules.yaml"
    file.write_text("""\
automations:
  - &a { id: a, title: A, message: &m { text: 5 } }
  - id: b
    title: B
    message: *m
""")
    assert [(p.line, p.column, p.path) for p in problems_of(file)] == [
        (2, 47, "automations[0].message.text"),
        (5, 14, "automations[1].message.text"),
    ]


def test_two_automations_of_one_id_are_refused_across_files(tmp_path):
    first = write(tmp_path, "a.json", automation("same"))
    second = write(
        tmp_path,
        "b.json",
        automation("other"),
        {
            "resource": "ahp-automation:/same",
            "definition": {"title": "S", "message": {"text": "x"}},
        },
    )
    (problem,) = problems_of(first, second)
    assert (problem.file, problem.path) == (str(second), "automations[1].resource")
    assert problem.value == "ahp-automation:/same"
    assert f"is taken by automations[0].id of {first}:1" in problem.message
    column = second.read_text().index('"ahp-automation:/same"') + 1
    assert (problem.line, problem.column) == (1, column)


def test_one_id_is_refused_also_where_something_else_is_wrong(tmp_path):
    file = write(tmp_path, "a.json", automation("same", title=""), automation("same", title=""))
    assert [p.path for p in problems_of(file)] == [
        "automations[0].title",
        "automations[1].id",
        "automations[1].title",
    ]


def test_one_file_given_twice_is_two_automations_of_one_id(tmp_path):
    file = write(tmp_path, "a.json", automation("a"))
    assert [p.path for p in problems_of(file, file)] == ["automations[0].id"]


def test_one_type_declared_twice_is_refused(tmp_path):
    push = {"type": "git.push", "title": "Pushes", "events": [{"id": "a", "title": "A"}]}
    (problem,) = problems_of(write(tmp_path, "a.json", types=[push, push]))
    assert (problem.path, problem.value) == ("types[1].type", "git.push")


def test_every_file_s_problems_are_told(tmp_path):
    bad = write(tmp_path, "a.json", automation("a", title=""))
    (tmp_path / "b.yaml").write_text("automations: [")
    (tmp_path / "c.json").write_text("{")
    (tmp_path / "d.json").write_bytes(b"\x7fELF\x00\xff\xfe")
    missing = tmp_path / "missing.yaml"
    assert [Path(p.file).name for p in problems_of(tmp_path, missing)] == [
        "a.json",
        "b.yaml",
        "c.json",
        "d.json",
        "missing.yaml",
    ]
    assert bad.exists()


@pytest.mark.parametrize(
    ("content", "path", "said"),
    [
        ("", "", "a map (automations, types, _meta)"),
        ("[]", "", "a map (automations, types, _meta)"),
        ("{}", "automations", "a list of automations"),
        ("automations: {}", "automations", "a list"),
        ("automations:", "automations", "a list"),
        ("automation: []\nautomations: []", "automation", "did you mean 'automations'?"),
        ("types: 1", "types", "a list"),
        ("automations: [5]", "automations[0]", "a map"),
        ("automations: [null]", "automations[0]", "a map"),
    ],
)
def test_what_is_no_ruleset(tmp_path, content, path, said):
    (tmp_path / "a.yaml").write_text(content)
    problems = problems_of(tmp_path)
    assert path in [p.path for p in problems]
    assert said in str(problems)


def test_a_missing_file_a_binary_file_and_another_suffix_are_told(tmp_path):
    (tmp_path / "binary.yaml").write_bytes(bytes(range(256)))
    (tmp_path / "log.jsonl").write_text("{}\n")
    found = problems_of(tmp_path / "missing.yaml", tmp_path / "binary.yaml", tmp_path / "log.jsonl")
    assert [p.expected for p in found] == [
        "a file that can be read",
        "UTF-8 text",
        "a .yaml, .yml, .json or .md file",
    ]
    assert "No such file or directory" in found[0].message


def test_a_folder_without_rulesets_is_refused(tmp_path):
    (problem,) = problems_of(tmp_path)
    assert (problem.file, problem.path) == (str(tmp_path), "")


def test_a_markdown_file_is_a_ruleset_of_one_named_by_the_file(tmp_path):
    (tmp_path / "nightly-review.md").write_text(
        "---\ntitle: A\nowner: user:ann\ncreatedAt: 2026-10-07T14:22:05Z\n---\nLook.\n"
    )
    write(tmp_path, "b.json", automation("b"))
    expected = {"id": "nightly-review", "title": "A", "owner": "user:ann"}
    first, second = load_rules([tmp_path]).automations[::-1]
    assert first == read_automation({**expected, "message": {"text": "Look."}})
    assert second.resource == "ahp-automation:/b"


def test_a_markdown_file_and_a_ruleset_cannot_share_an_id(tmp_path):
    (tmp_path / "a.md").write_text("---\ntitle: A\n---\nLook.\n")
    write(tmp_path, "a.json", automation("a"))
    (problem,) = problems_of(tmp_path)
    assert f"'a.md' is taken by automations[0].id of {tmp_path / 'a.json'}:1" in problem.message


def test_a_markdown_file_is_refused_with_the_place_of_every_problem(tmp_path):
    file = tmp_path / "Nightly.md"
    file.write_text("---\ntitle: ''\nid: x\n---\nLook.\n")
    found = problems_of(file)
    assert [(p.path, p.line, p.column) for p in found] == [
        ("", 1, 1),
        ("title", 2, 8),
        ("id", 3, 1),
    ]
    assert "'Nightly.md' names no automation" in found[0].message


def test_every_problem_can_be_shown(tmp_path):
    file = write(tmp_path, "a.json", automation("a", title=""))
    (problem,) = problems_of(file)
    assert str(problem) == f"{file}:1:39: automations[0].title: '' is not non-empty text"
    assert attrs.asdict(problem)["line"] == 1


GOOD_YAML = Path(shipped_rules_folder() / "failing-tools.yaml").read_text(encoding="utf-8")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_mangled_file_is_read_or_refused_with_problems(tmp_path_factory, data):
    at = data.draw(st.integers(0, len(GOOD_YAML)))
    upto = data.draw(st.integers(at, min(at + 30, len(GOOD_YAML))))
    text = (
        GOOD_YAML[:at]
        + data.draw(st.text(alphabet="ab:-[]{}'\"&*!\n\t #0", max_size=6))
        + GOOD_YAML[upto:]
    )
    file = tmp_path_factory.mktemp("rules") / "a.yaml"
    file.write_text(text, encoding="utf-8")
    found = problems_or_none(load_rules, [file])
    assert found is None or all(p.file == str(file) and p.line and p.column for p in found)


def test_the_shipped_rules_are_what_their_files_say():
    (item,) = read_yaml(GOOD_YAML)["automations"]
    assert load_rules(["@failing-tools"]).automations == (read_automation(item),)


@pytest.mark.parametrize("kind", [str, Path])
def test_one_path_alone_is_that_one_ruleset(tmp_path, kind):
    assert ids(load_rules(kind(write(tmp_path, "a.json", automation("a"))))) == ids(
        load_rules([tmp_path])
    )


@pytest.mark.parametrize("name", ["", "a\0.yaml", "a\ud800.yaml"])
def test_a_name_that_no_file_can_have_is_refused(name):
    (problem,) = problems_of(name)
    assert problem.file == name
    assert "name" in problem.message


@pytest.mark.parametrize("text", ["", "# only a remark\n", "null\n"])
def test_a_file_that_holds_nothing_is_refused_as_such(tmp_path, text):
    (tmp_path / "a.yaml").write_text(text)
    (problem,) = problems_of(tmp_path / "a.yaml")
    assert problem.sentence == "holds nothing; expected a map (automations, types, _meta)"


def test_a_name_that_is_taken_names_the_line_of_the_first_in_the_same_file_or_another(tmp_path):
    first = tmp_path / "a.yaml"
    text = "automations:\n  - { id: same, title: A, message: { text: x } }\n"
    first.write_text(text + text.splitlines()[1] + "\n")
    second = tmp_path / "b.yaml"
    second.write_text("\n\n" + text)
    assert [(one.file, one.line, one.message) for one in problems_of(first, second)] == [
        (str(first), 3, f"'same' is taken by automations[0].id of {first}:2"),
        (str(second), 4, f"'same' is taken by automations[0].id of {first}:2"),
    ]


def test_a_pipe_is_read_once(tmp_path):
    pipe = tmp_path / "rules.yaml"
    os.mkfifo(pipe)
    text = json.dumps({"automations": [automation("a")]})
    writer = threading.Thread(target=pipe.write_text, args=(text,))
    writer.start()
    assert len(ids(load_rules(pipe))) == 1
    writer.join()
    with pytest.raises(OSError, match="Illegal seek"):
        ruleset_places(pipe)
