"""Sphinx: MyST pages, nitpicky, warnings as errors in CI."""

from wakeful._version import __version__

project = "wakeful"
author = "The wakeful authors"
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.doctest", "sphinx_copybutton"]
html_theme = "furo"
html_title = f"wakeful {release}"
nitpicky = True
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
