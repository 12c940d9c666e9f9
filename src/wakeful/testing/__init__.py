"""Helpers for tests of programs that use this library; nothing here runs an agent."""

from wakeful.testing.clock import VirtualClock
from wakeful.testing.events import SessionScript
from wakeful.testing.host import InMemoryHost, InMemorySession

__all__ = ["InMemoryHost", "InMemorySession", "SessionScript", "VirtualClock"]
