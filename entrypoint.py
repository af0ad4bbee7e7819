"""The container's entry: the same program as the command `benchaudit`; without a command it watches."""

import sys

from benchaudit.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["watch"]))
