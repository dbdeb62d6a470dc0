"""The extension's own files about evals agree with the engine."""

import json
import re
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

from packaging.requirements import Requirement

from tests.editors.workspaces import CLIENTS
from waza_engine.recognition.recognise import dialects

EXTENSION = CLIENTS / "vscode"
LOCK = (EXTENSION / "server" / "requirements.txt").read_text(encoding="utf-8")


def test_the_snippets_are_flawless(tmp_path: Path) -> None:
    snippets = json.loads((EXTENSION / "snippets" / "waza.json").read_text(encoding="utf-8"))
    targets = {"eval": "eval.yaml", "task": "tasks/first.yaml", "triggers": "trigger_tests.yaml"}
    assert snippets.keys() == targets.keys()
    for name, target in targets.items():
        text = "\n".join(snippets[name]["body"]) + "\n"
        text = re.sub(r"\$\{\d+:([^}]*)\}", r"\1", text)
        text = re.sub(r"\$\{\d+\|([^,|]*)[^}]*\}", r"\1", text)
        path = tmp_path / name / target
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    # The eval and its task belong together.
    (tmp_path / "task" / "tasks").rename(tmp_path / "eval" / "tasks")
    check = [sys.executable, "-P", "-m", "waza_lsp", "check", "--quiet", str(tmp_path)]
    done = subprocess.run(check, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout


def test_files_with_telling_names_start_the_server() -> None:
    known = telling_names()
    names = {it.pattern for dialect in dialects() for kind in dialect.kinds for it in kind.file_names}
    # These are found by their content: other programs have files of these names, too.
    names -= {it for it in names if "tasks/" in it} | {"experiment.yaml", "waza.yaml", "waza.yml"}
    assert [it for it in sorted(names) if not any(fnmatch(it, pattern) for pattern in known)] == []


def test_files_with_telling_names_activate_the_extension() -> None:
    """Otherwise the Testing view would be empty until a YAML file is open."""
    manifest = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    names = [it.removeprefix("workspaceContains:**/") for it in manifest["activationEvents"] if "/" in it]
    assert sorted(names) == sorted(telling_names())


def telling_names() -> list[str]:
    source = (EXTENSION / "src" / "documents.ts").read_text(encoding="utf-8")
    lines = re.findall(r"Names = \[(.*)\]", source)
    return [it for line in lines for it in re.findall(r"'([^']+)'", line)]


def test_settings_that_name_programs_are_restricted() -> None:
    manifest = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    restricted = manifest["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    settings = manifest["contributes"]["configuration"]["properties"]
    assert {name for name in settings if name.startswith("waza.server.")} == set(restricted)
    assert all(settings[it]["scope"] == "machine-overridable" for it in restricted)
    assert manifest["capabilities"]["virtualWorkspaces"]["supported"] is False
    assert "extensionDependencies" not in manifest
    assert manifest["repository"]["url"].endswith(".git")


def test_pictures_of_the_walkthrough_are_there() -> None:
    manifest = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    steps = manifest["contributes"]["walkthroughs"][0]["steps"]
    media = [it["media"].get("image") or it["media"]["markdown"] for it in steps]
    assert [it for it in media if not (EXTENSION / it).is_file()] == []


def test_the_lock_names_every_requirement_with_hashes_and_no_address() -> None:
    """After a change of the dependencies: `npm run lock` in editor-client/vscode."""
    entries = re.split(r"\n(?=\S)", LOCK.strip())
    pinned = {}
    for entry in entries:
        match = re.fullmatch(r"([a-z0-9-]+)==(\S+) \\\n(    --hash=sha256:[0-9a-f]{64}( \\\n)?)+", entry)
        assert match, f"not a version with hashes: {entry[:100]}"
        pinned[match[1]] = match[2]
    project = tomllib.loads((EXTENSION.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for it in map(Requirement, project["dependencies"]):
        version = pinned[it.name.lower().replace("_", "-").replace(".", "-")]
        assert it.specifier.contains(version), f"{it} is locked as {version}"


def test_the_lock_has_the_files_of_all_systems() -> None:
    """A compiled package has some thirty files: for each Python, system and processor."""
    hashes = {it.partition("==")[0]: it.count("--hash") for it in re.split(r"\n(?=\S)", LOCK)}
    compiled = ("google-re2", "markupsafe", "pydantic-core", "pyyaml", "regex", "rpds-py")
    assert [it for it in compiled if hashes[it] < 30] == []
