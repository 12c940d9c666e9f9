"""How records are made: frozen for whoever reads or checks the code, cheap when it runs.

``attrs.frozen`` sets each field through ``object.__setattr__``, which makes a record of
eight fields cost about four times one that is plainly assigned (0.9 against 0.25
microseconds, CPython 3.11). Inputs, matches and decisions are made by the hundred
thousand a second, so at run time they are plain slotted classes with equality and a
hash; the type checker sees frozen ones and refuses every assignment.
"""

from functools import partial
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from attrs import frozen as record
else:
    record = partial(attrs.define, unsafe_hash=True)

__all__ = ["record"]
