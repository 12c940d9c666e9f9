"""Running the command in this process, and small logs and rules to run it on."""

import json
from collections.abc import Callable, Sequence

import attrs
import pytest

from wakeful.cli import main


@attrs.frozen(kw_only=True)
class Ran:
    """What a run of the command left."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict]:
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def wakeful(capsys) -> Callable[..., Ran]:
    def run(*arguments) -> Ran:
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ran(status=status, out=captured.out, err=captured.err)

    return run


@pytest.fixture
def log(tmp_path) -> Callable[[Sequence[dict]], str]:
    """Writes records as a native log; instants are seconds after 14:00."""

    def write(records: Sequence[dict | str], name: str = "log.jsonl") -> str:
        path = tmp_path / name
        lines = [one if isinstance(one, str) else json.dumps(one) for one in records]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return str(path)

    return write


@pytest.fixture
def rules(tmp_path) -> Callable[..., str]:
    """Writes automations as a ruleset."""

    def write(*automations: dict, name: str = "rules.json") -> str:
        path = tmp_path / name
        path.write_text(json.dumps({"automations": automations}), encoding="utf-8")
        return str(path)

    return write
