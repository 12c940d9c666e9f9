"""The page: one HTML file that needs no network, its data and its scripts within it.

What a log holds is data. It stands in the page as JSON inside a script element of no executable
type, with every ``<``, ``>`` and ``&`` written as an escape, and the page's script puts it in
place as text. The little that the template itself writes is escaped by jinja2.
"""

import json
from typing import Any, Final

from markupsafe import Markup

from wakeful._version import __version__
from wakeful.explain.wording import length
from wakeful.report.data import page_data
from wakeful.report.gathering import Gathered
from wakeful.report.templates import environment, source
from wakeful.report.words import local

_ESCAPES: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def page(gathered: Gathered) -> str:
    """The page as HTML."""
    # Its script and its style are the package's own: nothing in them comes from a log.
    return (
        environment()
        .get_template("report.html")
        .render(
            version=__version__,
            gathered=gathered,
            first=local(gathered.start, gathered.zone),
            last=local(gathered.end, gathered.zone),
            lasting=length(gathered.end - gathered.start),
            style=_own("report.css"),
            plotly=_plotly(),
            scripts=[_own(name) for name in ("report.js", "lanes.js", "table.js")],
            data=embedded(page_data(gathered)),
        )
    )


def embedded(data: Any) -> Markup:
    """Data as JSON that no parser of HTML takes for an end or a beginning of anything."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return Markup(text.translate(_ESCAPES))  # noqa: S704 - nothing of markup is left in it


def _own(name: str) -> Markup:
    return Markup(source(name))  # noqa: S704 - a file of this package


def _plotly() -> Markup:
    from plotly.offline import get_plotlyjs  # noqa: PLC0415 - five megabytes are read

    return Markup(get_plotlyjs())  # noqa: S704 - the library's own script
