"""Instants as logs write them, read fast.

A log says nearly the same instant again and again: the text up to the second, and the
milliseconds after it, are looked up; a second that was not seen before is its minute's
instant and some seconds, and only a minute that was not seen before is parsed.
"""

from datetime import UTC, tzinfo
from typing import Final

from wakeful.errors import InvalidError
from wakeful.model.time import SECOND, Instant, parse_instant

FRACTIONS: Final = {f".{ms:03d}Z": ms for ms in range(SECOND)}
"""The milliseconds of each ending, ``.000Z`` to ``.999Z``."""

_KEPT: Final = 4096
_DIGITS: Final = {f"{second:02d}": second * SECOND for second in range(60)}


class Seconds(dict[str, Instant]):
    """The instant of each text up to the second; worked out when it is asked for.

    A hot loop adds ``seconds[text[:19]] + FRACTIONS[text[19:]]`` itself, and takes a
    ``KeyError`` or an :class:`InvalidError` to mean that the text is another sort of
    instant.
    """

    def __init__(self) -> None:
        super().__init__()
        self._minutes: dict[str, Instant] = {}

    def __missing__(self, text: str) -> Instant:
        minute = text[:17]
        begin = self._minutes.get(minute)
        if begin is None:
            begin = parse_instant(minute + "00Z")
            if len(self._minutes) >= _KEPT:
                self._minutes.clear()
            self._minutes[minute] = begin
        if len(self) >= _KEPT:
            self.clear()
        found = self[text] = begin + _DIGITS[text[17:]]
        return found


class ZoneMissingError(InvalidError):
    """An instant has no zone, and none was given for those that have none."""


class InstantReader:
    """Reads instants for one log, with the zone of those that have none."""

    __slots__ = ("seconds", "zone")

    def __init__(self, zone: tzinfo | None = None) -> None:
        self.zone = zone
        self.seconds = Seconds()

    def read(self, value: object) -> Instant:
        """Read ISO 8601 text or integer milliseconds. Constant time, and memory bounded.

        Raises:
            ZoneMissingError: It has no zone, and the log was given none.
            InvalidError: It is no instant.
        """
        if type(value) is str and len(value) == 24:
            milliseconds = FRACTIONS.get(value[19:])
            if milliseconds is not None:
                try:
                    return self.seconds[value[:19]] + milliseconds
                except (KeyError, ValueError):
                    pass
        try:
            return parse_instant(value, zone=self.zone)
        except InvalidError as refused:
            if self.zone is None and _is_instant(value):
                raise ZoneMissingError(refused.problems) from None
            raise


def _is_instant(value: object) -> bool:
    """Whether a value would be an instant if only its zone were known."""
    try:
        parse_instant(value, zone=UTC)
    except InvalidError:
        return False
    return True
