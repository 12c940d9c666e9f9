"""Sphinx: MyST pages, nitpicky, warnings as errors in CI."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "tools"))

from commands import Commands  # noqa: E402
from public_names import resolve  # noqa: E402
from sphinx.ext.napoleon.docstring import GoogleDocstring  # noqa: E402
from state_machine import StateMachine  # noqa: E402

from wakeful._version import __version__  # noqa: E402

project = "wakeful"
author = "The wakeful authors"
release = version = __version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.doctest",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]
html_theme = "furo"
html_title = f"wakeful {release}"
nitpicky = True
exclude_patterns = ["_build", "tools", "examples"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
autodoc_typehints_format = "short"
napoleon_use_ivar = True
napoleon_use_rtype = False
# Attributes are annotated here: a colon in their first sentence is a colon, and no type.
GoogleDocstring._parse_attribute_docstring = lambda self: list(self._consume_to_end())


def setup(app):
    """The commands and the state diagram as directives, and types linked to their public names."""
    app.add_directive("commands", Commands)
    app.add_directive("state-machine", StateMachine)
    app.connect("missing-reference", resolve)
