"""``python -m wakeful.cli`` is the ``wakeful`` command."""

import sys

from wakeful.cli import main

if __name__ == "__main__":
    sys.exit(main())
