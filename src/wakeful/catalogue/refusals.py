"""Every refusal's words, and the error that carries them.

The words are the seeds', and where those only say that something is refused, those that
the editor's own host uses; a client may show them as they are.
"""

from typing import Final

from wakeful.errors import WakefulError

INVALID_PARAMS: Final = -32602
METHOD_NOT_FOUND: Final = -32601
PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
REFUSED: Final = -32000
"""A request that is well formed and is refused; the protocol has no codes of its own for it."""

EXECUTION: Final = "automationExecution"
"""The ``errorType`` of runs that fail by the host's own doing."""

INTERRUPTED: Final = "The run was interrupted: its host was not running."
SESSION_GONE: Final = "The run's session was removed before its turn ended."
CHAT_BUSY: Final = "The chat of this automation is running somebody's own turn."
CHAT_OF_ANOTHER: Final = "The chat that this automation is pinned to belongs to somebody else."
CANCELLATION: Final = "Automation run cancellation is not available."
NO_SCHEDULES: Final = "Automation schedule triggers are not available."
NO_CREATION: Final = "Automations cannot be created on this host."
EMPTY_REQUEST: Final = "Automation run requestId must not be empty."
UNAVAILABLE: Final = (
    "Automation storage is unavailable and must be recovered before automations can run"
)


class RefusedError(WakefulError):
    """Something a client asked for is refused; nothing has changed.

    Attributes:
        reason: The words: a ``rejectionReason``, or the message of an error.
        code: The JSON-RPC code where it was a request.
    """

    def __init__(self, reason: str, code: int = REFUSED) -> None:
        super().__init__(reason)
        self.reason = reason
        self.code = code


def not_granted(grant: str) -> RefusedError:
    """The principal does not hold what the operation asks."""
    return RefusedError(f"Not permitted: {grant} is needed.")


def wrong_scheme(resource: str) -> RefusedError:
    """A create at a URI that is no automation's."""
    return RefusedError(f"Automation resource must use the ahp-automation scheme: {resource}")


def already_exists(resource: str) -> RefusedError:
    """A create where another definition is kept."""
    return RefusedError(f"Automation already exists: {resource}")


def not_found(resource: str) -> RefusedError:
    """There is no such automation."""
    return RefusedError(f"Automation not found: {resource}")


def run_not_found(run: str) -> RefusedError:
    """There is no such run, or it is kept no longer."""
    return RefusedError(f"Automation run not found: {run}")


def run_over(run: str) -> RefusedError:
    """A run that ended cannot be stopped."""
    return RefusedError(f"Automation run is already terminal: {run}")


def not_cancelled(run: str) -> RefusedError:
    """A run whose sessions run no turn has nothing to stop."""
    return RefusedError(f"Automation run cancellation was not accepted: {run}")


def request_used(request: str) -> RefusedError:
    """A request id stands for a run of another automation."""
    return RefusedError(
        f"Automation run requestId is already used for another automation: {request}"
    )


def request_lost(request: str) -> RefusedError:
    """A request id stands for a run that is kept no longer."""
    return RefusedError(f"Automation run requestId refers to a missing run: {request}")


def request_too_long(length: int, most: int) -> RefusedError:
    """A request id is kept as long as its run is, so it is not to be of any length."""
    return RefusedError(
        f"Automation run requestId is {length} characters long; expected at most {most}.",
        INVALID_PARAMS,
    )


def wrong_cursor(cursor: str) -> RefusedError:
    """A cursor that is not the entry's own."""
    return RefusedError(f"Automation run-history cursor is no longer available: {cursor}")


def owner_not_met(owner: str | None) -> RefusedError:
    """Nobody can be asked what an owner may who never signed in."""
    return RefusedError(f"The automation's owner {owner} has to sign in once first.")


def owner_of_another(owner: str) -> RefusedError:
    """A client names an owner that it may not speak for."""
    return RefusedError(f"An automation of {owner} can only be made by {owner}.")


def may_not(owner: str | None, grant: str) -> str:
    """Why a run fails whose owner lacks what its session needs."""
    return f"The automation's owner {owner} needs {grant}."


def too_close(trigger: str, minutes: int) -> RefusedError:
    """A schedule comes more often than the host offers."""
    return RefusedError(
        f"Automation schedule of trigger {trigger} has occurrences closer than "
        f"{minutes} {'minute' if minutes == 1 else 'minutes'} apart."
    )


def not_dispatchable(type_: object) -> RefusedError:
    """An action that only the host tells, or that nobody knows."""
    return RefusedError(f"Clients cannot dispatch the action {type_!r}.")


def misplaced(type_: str, channel: str) -> RefusedError:
    """An action on a channel that it does not belong to."""
    return RefusedError(f"The action {type_} does not belong to the channel {channel}.")


def wrong_channel(channel: str, expected: str) -> RefusedError:
    """A request with a channel that is not its own."""
    return RefusedError(f"channel: {channel!r} is not {expected}", INVALID_PARAMS)


def unknown_method(method: str) -> RefusedError:
    """No command of that name."""
    return RefusedError(f"Method not found: {method}", METHOD_NOT_FOUND)
