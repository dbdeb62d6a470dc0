"""Long lines on a pipe that is read slowly, where Python is told not to buffer its output."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_LONG = 300_000


def test_no_part_of_a_long_answer_is_lost(tmp_path: Path) -> None:
    line: dict[str, Any] = {
        "id": "long",
        "graders": [
            {
                "type": "program",
                "name": "p",
                "config": {"command": "sh", "args": ["-c", f"yes | head -c {_LONG}"]},
            }
        ],
        "context": {"output": ""},
    }
    short: dict[str, Any] = {
        "graders": [{"type": "program", "name": "p", "config": {"command": "true"}}],
        "context": {},
    }
    lines = [line | {"id": f"long {it}"} for it in range(6)] + [
        short | {"id": f"short {it}"} for it in range(30)
    ]
    given = tmp_path / "lines.jsonl"
    given.write_text("".join(json.dumps(it) + "\n" for it in lines), encoding="utf-8")
    command = [sys.executable, "-P", "-m", "waza_lsp", "grade", "--batch", str(given)]
    told = b""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, env=os.environ | {"PYTHONUNBUFFERED": "1"}
    ) as process:
        assert process.stdout is not None
        while part := os.read(process.stdout.fileno(), 1 << 16):
            told += part
            time.sleep(0.01)
    answers = [json.loads(it) for it in told.splitlines()]
    assert process.returncode == 0
    assert sorted(it["id"] for it in answers) == sorted(str(it["id"]) for it in lines)
