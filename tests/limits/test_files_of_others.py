"""Files that somebody else wrote are read up to the limit and refused beyond it, by name."""

import pytest

from storage.storage_builders import BLUEPRINT
from wakeful import InvalidError
from wakeful.cli import main
from wakeful.model.limits import LIMITS, Limits
from wakeful.reading.markdown import read_automation_file
from wakeful.rule_tests.files import read_tests
from wakeful.storage import AutomationFolder
from wakeful.storage.vscode import read_blueprint

TEXT = "---\ntitle: Nightly\n---\n\nLook.\n"
SAYS = "too large; expected a file of at most"


def test_an_automation_file_beyond_the_limit_is_refused():
    assert read_automation_file(TEXT, limits=Limits(file=len(TEXT))).definition.title == "Nightly"
    with pytest.raises(InvalidError, match=SAYS):
        read_automation_file(TEXT, limits=Limits(file=len(TEXT) - 1))


def test_an_automation_file_is_held_to_the_limits_on_definitions():
    with pytest.raises(InvalidError, match="text of 7 characters; expected at most 6"):
        read_automation_file(TEXT, limits=Limits(text=6))


def test_a_file_of_vscode_beyond_the_limit_is_refused():
    assert read_blueprint(BLUEPRINT, limits=Limits(file=len(BLUEPRINT))).name
    with pytest.raises(InvalidError, match=SAYS):
        read_blueprint(BLUEPRINT, limits=Limits(file=len(BLUEPRINT) - 1))


def test_a_folder_passes_over_a_file_beyond_its_limits_and_says_why(tmp_path):
    (tmp_path / "a.md").write_text(TEXT)
    (tmp_path / "b.md").write_text(f"{TEXT}{'x' * 100}\n")
    folder = AutomationFolder(tmp_path, limits=Limits(file=100))
    assert [one.resource for one in folder.load()] == ["ahp-automation:/a"]
    (problem,) = folder.problems
    assert "larger than 100 bytes" in str(problem)


@pytest.fixture
def large(tmp_path):
    """A file that is too large, of which the disk holds nothing."""
    path = tmp_path / "large.test.yaml"
    with path.open("wb") as file:
        file.truncate(LIMITS.file + 1)
    return path


def test_a_file_of_rule_tests_beyond_the_limit_is_refused(large):
    with pytest.raises(InvalidError, match=SAYS) as refused:
        read_tests(large)
    assert refused.value.problems[0].file == str(large)


@pytest.mark.parametrize("how", [[], ["--vscode", "--folder", "/"]])
def test_importing_a_file_beyond_the_limit_is_refused(how, large, tmp_path, capfd):
    status = main(["import", str(large), "--in", str(tmp_path / "there"), *how])
    assert status != 0
    told = capfd.readouterr().err
    assert f"{large}" in told
    assert SAYS in told
