"""`python -m benchaudit`."""

import sys

from benchaudit.cli import main

sys.exit(main())
