"""The rules that come with the package."""

from pathlib import Path


def shipped_rules_folder() -> Path:
    """The folder of the rules that come with the package.

    In a wheel they lie inside the package, under ``data/rulesets``; in a checkout, from
    which an editable install runs, at its top, where a person looks for them.

    Raises:
        FileNotFoundError: The installation lacks them.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "data" / "rulesets", package.parents[1] / "rulesets"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError("the rules that come with wakeful are not installed")
