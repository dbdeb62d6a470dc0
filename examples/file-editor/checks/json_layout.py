"""Fail unless a JSON file is laid out with the given indentation: json_layout.py FILE SPACES.

Lists of plain values may stay on one line, so the check is on the leading blanks and the final newline only.
"""

import json
import os
import sys
from pathlib import Path

name, spaces = sys.argv[1], int(sys.argv[2])
text = (Path(os.environ["WAZA_WORKSPACE_DIR"]) / name).read_text(encoding="utf-8")

json.loads(text)
if not text.endswith("}\n"):
    sys.exit(f"{name}: one newline belongs at the end")
for number, line in enumerate(text.splitlines(), start=1):
    indent = len(line) - len(line.lstrip(" "))
    if "\t" in line or indent % spaces:
        sys.exit(f"{name}:{number}: not indented by {spaces} blanks")
print(f"{name}: fine")
