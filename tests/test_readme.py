"""The README's rule and program, run as they stand there."""

import re
from pathlib import Path

from replay_cases import event, failure
from replay_player import inputs
from wakeful.reading import load_rules
from wakeful.replay import replay

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def block(language):
    """The first block of code in a language."""
    (found, *_) = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return found


def failures(project):
    started = event(0, "turnStarted", project=project)
    return [started, *({**failure(n), "project": project, "running": True} for n in (1, 2, 3))]


def test_the_rule_fires_on_three_failures_of_its_project_and_on_no_others(tmp_path):
    (tmp_path / "rules.yaml").write_text(block("yaml"), encoding="utf-8")
    automations = load_rules([tmp_path / "rules.yaml"]).automations

    assert len(list(replay(inputs(*failures("api")), automations))) == 2
    assert list(replay(inputs(*failures("web")), automations)) == []


def test_the_program_runs(tmp_path, monkeypatch):
    (tmp_path / "rules.yaml").write_text(block("yaml"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = {"events": inputs(*failures("api"))}

    exec(compile(block("python"), "README.md", "exec"), names)

    assert names["output"].count == 3
