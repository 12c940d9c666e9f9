"""The templates of pictures, and the scripts and the style of the page."""

from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape


@cache
def environment() -> Environment:
    """Where the templates are, with everything escaped that they are given."""
    return Environment(
        loader=PackageLoader("wakeful.report", "templates"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def source(name: str) -> str:
    """A file of this folder as it is."""
    return (files(__name__) / name).read_text(encoding="utf-8")
