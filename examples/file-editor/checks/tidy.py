"""Fail when the workspace holds something that an editor or an agent left behind.

A `file` grader knows no wildcards, so "no backup anywhere" needs a program.
"""

import os
import sys
from pathlib import Path

DROPPINGS = ("*.bak", "*.orig", "*.rej", "*.tmp", "*~")

workspace = Path(os.environ["WAZA_WORKSPACE_DIR"])
found = sorted(str(path.relative_to(workspace)) for pattern in DROPPINGS for path in workspace.rglob(pattern))

if found:
    sys.exit("left behind: " + ", ".join(found))
print("nothing left behind")
