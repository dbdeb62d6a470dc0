"""The workflows of the repository are valid, pinned, and have few rights; pages install nothing by a name that is not ours."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
_PUBLISHED = False
"""Whether the name is ours on PyPI. Then pages may install it by its name."""
_BY_NAME = re.compile(
    r"(?:pip|pipx|uv tool|uv pip|uv) (?:install|run|add|inject)\b(?: (?:-\S+|[\w.\[\]-]+))*? ['\"]?waza[-_]lsp(?=['\"\[=<>~\s`]|$)"
    r"|uvx (?:--from )?waza[-_]lsp",
    re.MULTILINE,
)


def _require_valid(schema: str, *files: Path) -> None:
    program = Path(sys.executable).with_name("check-jsonschema")
    found = str(program) if program.exists() else shutil.which("check-jsonschema")
    if found is None:
        pytest.skip("check-jsonschema is not installed")
    done = subprocess.run(
        [found, "--builtin-schema", f"vendor.{schema}", *files], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_workflows_are_valid(tmp_path: Path) -> None:
    copied = []
    for number, it in enumerate(_workflows_on_pages()):
        copied.append(tmp_path / f"{number}.yml")
        copied[-1].write_text(it, encoding="utf-8")
    assert len(copied) >= 3
    _require_valid("github-workflows", *WORKFLOWS, *copied)


def _workflows_on_pages() -> list[str]:
    pages = [ROOT / "docs" / f"{it}.md" for it in ("ci", "check", "guide")]
    return [it for page in pages for it in _blocks(page) if re.search("^jobs:", it, re.MULTILINE)]


def _blocks(page: Path) -> list[str]:
    return re.findall(r"^```yaml\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("schema", "mark"), [("github-actions", ""), ("gitlab-ci", "image:"), ("azure-pipelines", "pool:")]
)
def test_the_action_and_the_snippets_for_others_are_valid(schema: str, mark: str, tmp_path: Path) -> None:
    if not mark:
        _require_valid(schema, ROOT / "action.yml")
        return
    [block] = [it for it in _blocks(ROOT / "docs/ci.md") if mark in it]
    (tmp_path / "ci.yml").write_text(block, encoding="utf-8")
    _require_valid(schema, tmp_path / "ci.yml")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda it: it.name)
def test_actions_are_pinned_and_rights_are_few(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] in ({}, {"contents": "read"})
    for name, job in workflow["jobs"].items():
        rights = job.get("permissions", {})
        assert rights.get("contents", "read") == "read", name
        assert set(rights) <= {"contents", "id-token", "pages", "actions", "pull-requests"}, name
        assert rights.get("actions", "read") == "read", name
        # Whoever may write comments runs the action only.
        assert "pull-requests" not in rights or not any("run" in it for it in job["steps"]), name
        assert "timeout-minutes" in job or "uses" in job, name
    for line in re.findall(r"uses: (.+)", text):
        assert re.fullmatch(r"\./\S*|[\w/-]+@[0-9a-f]{40} # v[\d.]+", line), line
    # A checked-out repository must not leave its token to the programs of the job.
    assert text.count("actions/checkout@") == text.count("persist-credentials: false")
    # Names of branches and titles are other people's text: a shell gets them as variables only.
    for script in (
        step["run"] for job in workflow["jobs"].values() for step in job.get("steps", ()) if "run" in step
    ):
        assert "${{" not in script


def test_the_action_keeps_inputs_out_of_scripts_and_the_token_to_itself() -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    action = yaml.safe_load(text)
    for line in re.findall(r"uses: (.+)", text):
        assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", line), line
    used = set(re.findall(r"inputs\.([\w-]+)", text))
    assert used == set(action["inputs"])
    assert all(it["description"] and "default" in it for it in action["inputs"].values())
    for step in (it for it in action["runs"]["steps"] if "run" in it):
        assert "${{" not in step["run"], step["name"]
        assert step["run"].count("\n") <= 5, step["name"]
        has_token = "token" in str(step["env"])
        assert has_token == (re.search(r"ci (?:base|comment)", step["run"]) is not None), step["name"]
        variables = {it for it in step["env"] if it.startswith("WAZA_LSP_")}
        assert variables <= _variables_of_ci(), step["name"]


def _variables_of_ci() -> set[str]:
    source = (ROOT / "waza_lsp/cli/ci/command.py").read_text(encoding="utf-8")
    return set(re.findall(r'"(WAZA_LSP_CI_\w+)"', source))


def test_workflows_on_pages_have_few_rights() -> None:
    """Examples are copied."""
    for it in _workflows_on_pages():
        assert "pull_request_target" not in it
        assert "write-all" not in it
        for step in (step for job in yaml.safe_load(it)["jobs"].values() for step in job["steps"]):
            assert "${{" not in step.get("run", "")


def test_every_python_is_tested_that_the_package_names() -> None:
    named = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    matrix = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8"))["jobs"][
        "suite"
    ]["strategy"]
    assert matrix["matrix"]["python"] == named
    assert [it.split("-")[0] for it in matrix["matrix"]["os"]] == ["ubuntu", "macos", "windows"]


def test_the_image_copies_what_it_installs() -> None:
    kept = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert kept[0] == "*"
    for it in (it[1:] for it in kept if it.startswith("!")):
        assert (ROOT / it).exists(), it
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for it in project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]:
        assert {f"!{it}", f"!{it.partition('/')[0]}"} & set(kept), f"the wheel of the image lacks {it}"
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "USER waza" in dockerfile
    for it in re.findall(r"^COPY (editor-client\S+)", dockerfile, re.MULTILINE):
        assert f"!{it}" in kept


@pytest.mark.parametrize(
    ("text", "is_by_name"),
    [
        ("pip install waza-lsp", True),
        ("pip install 'waza-lsp[mcp]'", True),
        ("python3 -m pip install -U waza-lsp==1.0.0", True),
        ("pipx install waza_lsp", True),
        ("uv tool install waza-lsp", True),
        ("uvx waza-lsp check", True),
        ("pip install asyncssh 'waza-lsp[dask]'", True),
        ("pip install '.[mcp]'", False),
        ("pipx install dist/waza_lsp-1.0.0-py3-none-any.whl", False),
        ("pip install ../waza-lsp", False),
        ("cd waza-lsp && pip install .", False),
    ],
)
def test_what_counts_as_installing_by_name(text: str, is_by_name: bool) -> None:
    assert bool(_BY_NAME.search(text)) == is_by_name


def test_nothing_tells_people_to_install_a_name_that_is_not_ours() -> None:
    """Whoever takes the name would run code in our users' editors and CI."""
    if _PUBLISHED:
        return
    files = [ROOT / "README.md", ROOT / "Dockerfile", ROOT / ".pre-commit-hooks.yaml", *WORKFLOWS]
    for folder, kinds in {
        "docs": "*.md",
        "examples": "*",
        "engine": "*.py",
        "waza_lsp": "*.py",
        "editor-client": "*",
    }.items():
        files += (
            it for it in (ROOT / folder).rglob(kinds) if it.is_file() and "node_modules" not in it.parts
        )
    texts = {
        it: it.read_text(encoding="utf-8", errors="replace")
        for it in files
        if it.suffix not in {".png", ".whl"}
    }
    found = [
        f"{it.relative_to(ROOT)}: {match[0]}"
        for it, text in texts.items()
        for match in _BY_NAME.finditer(text)
    ]
    assert not found
