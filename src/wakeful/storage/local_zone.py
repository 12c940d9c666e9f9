"""The zone that this machine is set to: where schedules without a zone of their own are read."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from wakeful.cron import zone_names

_LOCALTIME: Final = Path("/etc/localtime")
_TIMEZONE: Final = Path("/etc/timezone")
_ZONEINFO: Final = "zoneinfo/"


def local_zone() -> str:
    """The zone of ``TZ``, else that of the system, else ``UTC``; always one of the tz database."""
    return next((name for name in _candidates() if name in zone_names()), "UTC")


def _candidates() -> Iterator[str]:
    named = os.environ.get("TZ")
    if named is not None:
        # ":Europe/Berlin" and a path of the system's database are other ways to write it.
        yield named.removeprefix(":") or "UTC"
        yield named.rpartition(_ZONEINFO)[2]
    try:
        yield _LOCALTIME.resolve().as_posix().rpartition(_ZONEINFO)[2]
        yield _TIMEZONE.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return
