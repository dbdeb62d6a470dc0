"""A helper that records its questions and does not respond to some of them."""

import sys
from pathlib import Path
from time import sleep

from waza_engine.lib.process.framing import frame, read_frame

while True:
    try:
        message = read_frame(sys.stdin.buffer.read)
    except EOFError:
        break
    question = message["question"]
    with Path(question["about"]["path"]).open("a", encoding="utf-8") as notes:
        notes.write(f"{question['may_execute']}\n")
    if question["task"] == "hangs":
        sleep(3600)
    sys.stdout.buffer.write(frame({"id": message["id"], "more": False, "answer": {}}))
    sys.stdout.buffer.flush()
