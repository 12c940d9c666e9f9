"""The log and the rules that come with the package."""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Final

from wakeful.errors import InvalidError

LOG: Final = "a-working-day.jsonl"
"""The recorded log that ``wakeful replay`` shows without arguments."""

REFERENCE: Final = "@"
"""What a name of a shipped rule begins with; alone it is all of them."""


def log_path() -> Path:
    """The recorded log that comes with the package."""
    return Path(str(files(__name__))) / LOG


def rulesets_folder() -> Path:
    """The folder of the rules that come with the package.

    A wheel carries them beside this module; an editable install leaves them where they are
    edited, at the top of the checkout.
    """
    here = Path(str(files(__name__)))
    packaged = here / "rulesets"
    return packaged if packaged.is_dir() else here.parents[2] / "rulesets"


def rulesets() -> Mapping[str, Path]:
    """The id of every rule that comes with the package, and its file, by name."""
    return {
        path.stem: path
        for path in sorted(rulesets_folder().glob("*.yaml"))
        if not path.name.endswith(".test.yaml")
    }


def resolve(reference: str) -> tuple[Path, ...]:
    """The files that ``@id`` (one rule) or ``@`` (all of them) names.

    Raises:
        InvalidError: No rule that comes with the package is called so.
    """
    known = rulesets()
    name = reference.removeprefix(REFERENCE)
    if not name:
        return tuple(known.values())
    if name not in known:
        raise InvalidError.single("", reference, f"one of {', '.join('@' + id_ for id_ in known)}")
    return (known[name],)
