"""The ``wakeful`` command: one module a subcommand, imported when it is called."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: "Sequence[str] | None" = None) -> int:
    """Run the command, and give its exit status.

    An agent waits for ``wakeful hook`` at every step, so that one goes before click and all
    else is imported. An interrupt is one line and a status from the first import on.

    Args:
        arguments: Those of the command line where left out: then the process is the command's
            own, and ends with it.
    """
    is_process = arguments is None
    # No builtin by a subcommand's name: `list` is a module of this package.
    given = [*(sys.argv[1:] if arguments is None else arguments)]
    try:
        if given[:1] == ["hook"]:
            from wakeful.cli import hook  # noqa: PLC0415 - see above

            if hook.is_plain(given):
                return hook.main(given)
        from wakeful.cli import interrupts  # noqa: PLC0415 - see above

        if is_process:
            interrupts.end_at_once()
        from wakeful.cli import app  # noqa: PLC0415 - see above

        status = app.main(given)
        if is_process:
            interrupts.ignore()
    except KeyboardInterrupt:
        from wakeful.cli import interrupts  # noqa: PLC0415 - see above

        if is_process:
            interrupts.ignore()
        return interrupts.tell()
    return status
