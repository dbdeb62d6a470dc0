"""Fail when a word still occurs in any file of the workspace: word_is_gone.py WORD."""

import os
import re
import sys
from pathlib import Path

word = re.compile(rf"\b{re.escape(sys.argv[1])}\b")
workspace = Path(os.environ["WAZA_WORKSPACE_DIR"])

hits = [
    f"{path.relative_to(workspace)}:{number}"
    for path in sorted(workspace.rglob("*"))
    if path.is_file()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
    if word.search(line)
]

if hits:
    sys.exit(f"{sys.argv[1]} is still there: " + ", ".join(hits))
print(f"{sys.argv[1]} is gone")
