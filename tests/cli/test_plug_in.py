"""A grader type of another distribution is one of ours: schema, findings, run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLUG_IN = '''"""Whether the output is short."""

from pydantic import Field

from waza_engine.graders.base import Grader, GraderResult, GradingContext
from waza_engine.model.fields import Integer


class Short(Grader):
    type_name = "acme_short"
    most: Integer = Field(default=10, description="Most words.", examples=[5])

    def grade(self, context: GradingContext) -> GraderResult:
        count = len(context.output.split())
        return GraderResult(float(count <= self.most), count <= self.most, f"{count} words")
'''
EVAL = """\
name: t
skill: s
config: {trials_per_task: 1, timeout_seconds: 5, executor: mock, model: m}
tasks: [tasks/*.yaml]
graders:
  - type: acme_short
    name: short
    config: {most: 50}
"""


def _waza_lsp(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder / "site")}
    command = [sys.executable, "-P", "-m", "waza_lsp", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_an_installed_grader_type_is_checked_and_run(tmp_path: Path) -> None:
    info = tmp_path / "site" / "acme_graders-1.0.dist-info"
    info.mkdir(parents=True)
    (tmp_path / "site" / "acme_graders.py").write_text(PLUG_IN, encoding="utf-8")
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: acme-graders\nVersion: 1.0\n", encoding="utf-8"
    )
    (info / "entry_points.txt").write_text(
        "[waza_lsp.graders]\nacme = acme_graders:Short\n", encoding="utf-8"
    )
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "a.yaml").write_text("id: a\nname: A\ninputs: {prompt: hi}\n", encoding="utf-8")
    (tmp_path / "eval.yaml").write_text(EVAL, encoding="utf-8")
    assert _waza_lsp(tmp_path, "check").returncode == 0
    result = _waza_lsp(tmp_path, "run", "eval.yaml", "--store", "store")
    assert (result.returncode, "1 of 1 tasks passed" in result.stdout) == (0, True), result.stderr
    (tmp_path / "eval.yaml").write_text(EVAL.replace("most:", "mots:"), encoding="utf-8")
    assert "Did you mean 'most'?" in _waza_lsp(tmp_path, "check").stdout
