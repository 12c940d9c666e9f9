"""Small records and automations for tests of replays: seconds after 14:00 in, plain data out."""

from typing import Any


def at(seconds: float) -> str:
    """The instant so many seconds after 14:00 UTC."""
    milliseconds = round(seconds * 1_000)
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    return f"2026-10-07T{14 + hours:02d}:{minutes:02d}:{rest // 1_000:02d}.{rest % 1_000:03d}Z"


def event(seconds: float, kind: str, session: str = "s1", **members: Any) -> dict[str, Any]:
    return {"at": at(seconds), "kind": kind, "session": session, **members}


def failure(seconds: float, session: str = "s1", input_hash: str = "1") -> dict[str, Any]:
    tool = {"name": "Bash", "inputHash": f"sha256:{input_hash}"}
    return event(seconds, "toolFailed", session, tool=tool)


def success(seconds: float, session: str = "s1", input_hash: str = "1") -> dict[str, Any]:
    tool = {"name": "Bash", "inputHash": f"sha256:{input_hash}"}
    return event(seconds, "toolCalled", session, tool=tool)


def automation(id_: str, *events: str, overlap: str = "queue", **config: Any) -> dict[str, Any]:
    """An automation with one session trigger, ``t1``."""
    return {
        "id": id_,
        "title": id_,
        "message": {"text": "{{event}} {{count}}"},
        "overlap": overlap,
        "triggers": [
            {
                "id": "t1",
                "kind": "event",
                "type": "session",
                "title": "t1",
                "events": [{"id": kind} for kind in events],
                "config": config,
            }
        ],
    }
