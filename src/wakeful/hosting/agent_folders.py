"""Where the agents of this machine keep their logs."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs


@attrs.frozen
class AgentFolder:
    """A folder that an agent writes its logs below.

    Attributes:
        agent: The agent's name.
        path: The folder; it need not be there yet.
    """

    agent: str
    path: Path


def agent_folders(environment: Mapping[str, str] | None = None) -> Sequence[AgentFolder]:
    """The folders of all agents that are known, whether or not they are there.

    Args:
        environment: Its variables may say where an agent's folder is; the process's own where
            left out.
    """
    said = os.environ if environment is None else environment
    home = Path(said.get("HOME") or Path.home())
    claude = Path(said.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    codex = Path(said.get("CODEX_HOME") or home / ".codex")
    return (
        AgentFolder("claude", claude / "projects"),
        AgentFolder("codex", codex / "sessions"),
        AgentFolder("gemini", home / ".gemini" / "tmp"),
        AgentFolder("copilot", home / ".copilot" / "session-state"),
        AgentFolder("openhands", home / ".openhands" / "conversations"),
    )
