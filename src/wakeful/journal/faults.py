"""What a journal raises besides problems of what it is fed."""

from wakeful.errors import WakefulError


class JournalError(WakefulError):
    """A journal cannot be read or written; the message says which file, and why."""


class JournalLockedError(JournalError):
    """Another process, or another part of this one, has the journal open."""
