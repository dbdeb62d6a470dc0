"""A worker that notes what it is asked; to some questions it has no answer."""

import json
import sys
from pathlib import Path

for line in sys.stdin:
    question = json.loads(line)
    with Path(question["notes"]).open("a", encoding="utf-8") as notes:
        notes.write(f"{question.get('mayExecute')}\n")
    if question.get("mayExecute") or not question.get("hangs"):
        print("{}", flush=True)  # noqa: T201  # its answer
