"""Fail if the workspace has no eval, or if its evals have errors or warnings. Started by the grader `leaves-no-findings`."""

import json
import os
import subprocess
import sys
from pathlib import Path

workspace = Path(os.environ["WAZA_WORKSPACE_DIR"])
if not list(workspace.rglob("eval.yaml")):
    sys.exit("The workspace has no eval.yaml.")
done = subprocess.run(
    ["waza-lsp", "check", "--format", "json", str(workspace)], capture_output=True, check=False
)
summary = json.loads(done.stdout)["summary"]
if summary["error"] or summary["warning"]:
    sys.exit(f"{summary['error']} errors, {summary['warning']} warnings")
