"""Findings that public eval files showed to be wrong or needless."""

from pathlib import Path

from waza_engine.analysis.pipeline import check_file

EVAL = """\
name: notes
skill: notes
tasks: [tasks/*.yaml]
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
"""
TASK = "id: a\nname: a\ninputs:\n  prompt: Sort it.\n  files:\n    - path: tools/sort.py\n    - path: tools/data.csv\n"


def _write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def _found(root: Path, name: str) -> dict[str, str]:
    return {it.code: it.severity.value for it in check_file(root / name, process_dir=root)}


def test_waza_init_writes_registries(tmp_path: Path) -> None:
    text = "registries:\n  - name: public\n    url: https://github.com/waza-evals\n    priority: 10\n"
    _write(tmp_path, {".waza.yaml": text})
    assert not _found(tmp_path, ".waza.yaml")
    _write(tmp_path, {".waza.yaml": text.replace("priority", "prioriti")})
    assert "unknown-key" in _found(tmp_path, ".waza.yaml")


def test_a_required_skill_in_a_missing_folder_is_one_finding_with_the_fix(tmp_path: Path) -> None:
    listed = EVAL + "  skill_directories: [skills/notes]\n  required_skills: [notes]\n"
    skill = "---\nname: notes\ndescription: Takes notes.\n---\n"
    _write(
        tmp_path,
        {"evals/notes/eval.yaml": listed, "evals/notes/tasks/a.yaml": TASK, "skills/notes/SKILL.md": skill},
    )
    found = check_file(tmp_path / "evals/notes/eval.yaml", process_dir=tmp_path)
    (error,) = [it for it in found if it.code in {"missing-required-skill", "missing-directory"}]
    assert error.code == "missing-required-skill"
    assert "skills/notes" in error.message
    assert any("../../skills/notes" in it.title for it in error.fixes)


def test_a_missing_folder_that_no_skill_requires_stays_a_warning(tmp_path: Path) -> None:
    _write(tmp_path, {"eval.yaml": EVAL + "  skill_directories: [skill]\n", "tasks/a.yaml": TASK})
    assert _found(tmp_path, "eval.yaml")["missing-directory"] == "warning"


def test_no_attempts_means_one(tmp_path: Path) -> None:
    _write(tmp_path, {"eval.yaml": EVAL + "  max_attempts: 0\n", "tasks/a.yaml": TASK})
    assert _found(tmp_path, "eval.yaml")["out-of-range"] == "information"


def test_files_of_the_project_need_a_context_folder(tmp_path: Path) -> None:
    suite = {"evals/notes/eval.yaml": EVAL, "evals/notes/tasks/a.yaml": TASK}
    _write(tmp_path, suite)
    assert _found(tmp_path, "evals/notes/tasks/a.yaml")["missing-fixture"] == "warning"
    _write(tmp_path, {"tools/sort.py": "print()\n", "tools/data.csv": "a\n"})
    assert _found(tmp_path, "evals/notes/tasks/a.yaml")["missing-fixture"] == "information"


def test_blanks_of_a_template_are_no_paths(tmp_path: Path) -> None:
    text = (
        "name: <skill>-eval\nenvironment:\n  skills: ['{}']\nstimuli:\n  - name: one\n    prompt: Say hello.\n"
        "    graders:\n      - type: output-contains\n        config: {{substring: hi there}}\n"
    )
    _write(tmp_path, {"eval.yaml": text.format("../skills/<skill>")})
    assert "skill-without-file" not in _found(tmp_path, "eval.yaml")
    _write(tmp_path, {"eval.yaml": text.format("../skills/absent")})
    assert "skill-without-file" in _found(tmp_path, "eval.yaml")
