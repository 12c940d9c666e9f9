"""What whoever embeds an engine may set; the defaults are those of the semantics."""

from typing import Literal, TypeAlias

import attrs

from wakeful.errors import InvalidError, Problem
from wakeful.model.limits import LIMITS, Limits
from wakeful.model.time import HOUR, Duration

RunTime: TypeAlias = Duration | Literal["log", "none"]
"""How long runs last: until a record settles them (``log``), not past the match that started
them (``none``), or a duration at the longest."""


@attrs.frozen(kw_only=True)
class Settings:
    """An engine's settings.

    Attributes:
        cap: How many wakes by events one automation may have in ``cap_window``.
        cap_window: The length of that window, in milliseconds; it slides (semantics 9.6).
        run_time: How long runs last. A live host tells when a run settles, so ``log``.
        unowned: What automations without an owner see (``unownedAutomations`` of the seed).
        unmet: What owners see whom no change of grants has named. A host knows nobody else, so
            ``none``; a replay knows nobody at all, so ``every``.
        messages: Whether messages are filled. Without, every decision's ``message`` is
            ``None``: for comparing many rulesets, where nobody reads them.
        runs_kept: How many settled runs of an automation are kept, the newest; a request id is
            known as long as its run is (semantics 9.11). As many starts that have settled and that
            no record has claimed are kept beside them, and the names of all runs' sessions.
        runs_going: How many runs of an automation may go at once. Where one more begins, the oldest
            is given up as failed, and counted.
        sessions_kept: How many sessions are known at most. Where one more comes, those idle and
            longest untouched are forgotten, and counted.
        session_silence: How long a session may say nothing, in milliseconds, before it may be
            forgotten where it is idle; ``None`` for as long as it likes.
        counts_kept: In how many pairs of rule and session hits are kept at most. Looked at now and
            then, a quarter of the bound apart; hits of sessions silent for longest go, counted.
        waits_kept: How many follow-ups are waited for at most, looked at alike; the oldest go.
        limits: How large an input may be; here, a plugin event's data.

    Raises:
        InvalidError: A number is negative, or a window is empty.
    """

    cap: int = 20
    cap_window: Duration = HOUR
    run_time: RunTime = "log"
    unowned: Literal["every", "none"] = "every"
    unmet: Literal["every", "none"] = "none"
    messages: bool = True
    runs_kept: int = 1_000
    runs_going: int = 10_000
    sessions_kept: int = 1_000_000
    session_silence: Duration | None = None
    counts_kept: int = 10_000_000
    waits_kept: int = 2_000_000
    limits: Limits = LIMITS

    def __attrs_post_init__(self) -> None:
        """Refuse what cannot work, every problem at once."""
        problems = [
            Problem(path=path, value=value, expected=expected)
            for path, value, expected, holds in (
                ("cap", self.cap, "a whole number, at least 0", _is_whole(self.cap, 0)),
                (
                    "cap_window",
                    self.cap_window,
                    "whole milliseconds, at least 1",
                    _is_whole(self.cap_window, 1),
                ),
                (
                    "run_time",
                    self.run_time,
                    "whole milliseconds, 'log' or 'none'",
                    self.run_time in ("log", "none") or _is_whole(self.run_time, 0),
                ),
                ("unowned", self.unowned, "'every' or 'none'", self.unowned in ("every", "none")),
                ("unmet", self.unmet, "'every' or 'none'", self.unmet in ("every", "none")),
                (
                    "runs_kept",
                    self.runs_kept,
                    "a whole number, at least 0",
                    _is_whole(self.runs_kept, 0),
                ),
                *(
                    (name, value, "a whole number, at least 1", _is_whole(value, 1))
                    for name, value in (
                        ("runs_going", self.runs_going),
                        ("sessions_kept", self.sessions_kept),
                        ("counts_kept", self.counts_kept),
                        ("waits_kept", self.waits_kept),
                    )
                ),
                (
                    "session_silence",
                    self.session_silence,
                    "whole milliseconds, at least 1, or nothing",
                    self.session_silence is None or _is_whole(self.session_silence, 1),
                ),
            )
            if not holds
        ]
        if problems:
            raise InvalidError(problems)


def _is_whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least
