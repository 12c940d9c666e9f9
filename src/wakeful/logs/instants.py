"""Instants as logs write them, read fast.

A log says nearly the same instant again and again: the text up to the second, and the
milliseconds after it, are looked up; only a second that was not seen before is parsed.
"""

from datetime import tzinfo
from typing import Final

from wakeful.model.time import SECOND, Instant, parse_instant

_FRACTIONS: Final = {f".{ms:03d}Z": ms for ms in range(SECOND)}
_KEPT_SECONDS: Final = 4096


class InstantReader:
    """Reads instants for one log, with the zone of those that have none.

    Attributes:
        seconds: The instant of each text up to the second seen lately; bounded.
        fractions: The milliseconds of each ending ``.000Z`` to ``.999Z``. A hot loop looks
            both up itself and calls :meth:`read` for what it does not find.
    """

    __slots__ = ("fractions", "seconds", "zone")

    def __init__(self, zone: tzinfo | None = None) -> None:
        self.zone = zone
        self.seconds: dict[str, Instant] = {}
        self.fractions = _FRACTIONS

    def read(self, value: object) -> Instant:
        """Read ISO 8601 text or integer milliseconds. Constant time, and memory bounded.

        Raises:
            InvalidError: It is no instant, or has no zone and the log was given none.
        """
        if type(value) is str and len(value) == 24:
            milliseconds = _FRACTIONS.get(value[19:])
            if milliseconds is not None:
                second = value[:19]
                found = self.seconds.get(second)
                if found is None:
                    found = parse_instant(value) - milliseconds
                    if len(self.seconds) >= _KEPT_SECONDS:
                        self.seconds.clear()
                    self.seconds[second] = found
                return found + milliseconds
        return parse_instant(value, zone=self.zone)
