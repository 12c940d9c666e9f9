"""What a hook's payload comes to, beside the logs that are followed.

An agent's transcript and its hooks tell the same things. Where the transcript is followed it is
what counts, so that a watch and a replay of the transcript agree, and a hook adds only what no
transcript has: that a call is going on, at its beginning and its end, and that the session is
over. Where it is not followed, the hooks are a log of their own.
"""

import json
from pathlib import Path
from typing import Any, Final

from wakeful.hosting.following import LogFollower
from wakeful.logs.values import LineError, load
from wakeful.model.time import Instant, format_instant

_SIGNS: Final = frozenset({"UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"})
"""The hooks that run while a turn does."""


def take_payload(payload: bytes, follower: LogFollower, at: Instant) -> None:
    """Hand a hook's payload to a follower, stamped with the instant that it came at.

    Raises:
        LineError: It is no payload of a hook.
    """
    data = load(payload)
    if not isinstance(data, dict) or not isinstance(data.get("hook_event_name"), str):
        raise LineError("no payload of a hook: it has no hook_event_name")
    transcript = data.get("transcript_path")
    if isinstance(transcript, str) and follower.follows(Path(transcript)):
        follower.look_at([Path(transcript)])
        line = _sign(data, at)
        if line is not None:
            follower.tell(line, format="wakeful")
        return
    stamped = {**data, "at": format_instant(at)}
    follower.tell(json.dumps(stamped).encode(), format="claude-code-hooks")


def _sign(data: dict[str, Any], at: Instant) -> bytes | None:
    """The line of a native log for what the transcript does not tell."""
    session = data.get("agent_id") or data.get("session_id")
    name = data["hook_event_name"]
    if not isinstance(session, str):
        return None
    if name in _SIGNS:
        kind = "activity"
    elif name == "SessionEnd":
        kind = "sessionEnded"
    else:
        return None
    record = {"at": format_instant(at), "kind": kind, "session": session}
    return json.dumps(record).encode()
