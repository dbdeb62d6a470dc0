"""A worker that records its requests and does not respond to some of them."""

import json
import sys
from pathlib import Path

for line in sys.stdin:
    question = json.loads(line)
    with Path(question["notes"]).open("a", encoding="utf-8") as notes:
        notes.write(f"{question.get('mayExecute')}\n")
    if question.get("mayExecute") or not question.get("hangs"):
        print("{}", flush=True)  # noqa: T201  # its answer
