"""The extension's own files about evals agree with the engine."""

import json
import re
import tomllib
from fnmatch import fnmatch

from packaging.requirements import Requirement

from tests.editors.workspaces import CLIENTS
from waza_engine.recognition.recognise import dialects
from waza_lsp.generate.extension import MANIFEST, SNIPPETS, snippets, with_tools
from waza_lsp.server.build import COMMANDS

EXTENSION = CLIENTS / "vscode"
LOCK = (EXTENSION / "server" / "requirements.txt").read_text(encoding="utf-8")


def test_the_snippets_and_the_tools_for_chat_are_the_current_ones() -> None:
    root = EXTENSION.parents[1]
    assert (root / SNIPPETS).read_text(encoding="utf-8") == snippets()
    manifest = (root / MANIFEST).read_text(encoding="utf-8")
    assert manifest == with_tools(manifest), "python -m waza_lsp.generate"


def test_what_keys_menus_and_steps_name_is_contributed() -> None:
    contributes = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))["contributes"]
    commands = {it["command"] for it in contributes["commands"]}
    named = {it["command"] for it in contributes["keybindings"]}
    named |= {it["command"] for menu in contributes["menus"].values() for it in menu}
    texts = [it["description"] for it in contributes["walkthroughs"][0]["steps"]]
    texts += [it["contents"] for it in contributes["viewsWelcome"]]
    named |= {it for text in texts for it in re.findall(r"command:(waza\.\w+)\)", text)}
    named |= {it for text in texts for it in re.findall(r"waza\.do\?%22([\w.]+)%22", text)}
    assert named <= commands
    views = {it["id"] for view in contributes["views"].values() for it in view}
    assert {it["view"] for it in contributes["viewsWelcome"]} <= views


def test_every_step_of_the_walkthrough_can_be_done() -> None:
    """A step without a command or an event could only be ticked off by clicking it."""
    contributes = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))["contributes"]
    sources = "".join(it.read_text(encoding="utf-8") for it in (EXTENSION / "src").glob("*.ts"))
    for step in contributes["walkthroughs"][0]["steps"]:
        assert "](command:" in step["description"], step["id"]
        kinds = [it.partition(":") for it in step["completionEvents"]]
        known = {*COMMANDS, *(it["command"] for it in contributes["commands"])}
        assert {name for kind, _, name in kinds if kind == "onCommand"} <= known
        assert all(f"'{name}'" in sources for kind, _, name in kinds if kind == "onContext")


def test_the_icons_are_there() -> None:
    manifest = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    png = (EXTENSION / manifest["icon"]).read_bytes()
    assert (png[:8], png[16:24]) == (b"\x89PNG\r\n\x1a\n", bytes([0, 0, 0, 128] * 2))
    assert (EXTENSION / manifest["contributes"]["views"]["test"][0]["icon"]).is_file()


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
        match = re.fullmatch(
            r"([a-z0-9-]+)==(\S+)(?: ; [^\\\n]+)? \\\n(    --hash=sha256:[0-9a-f]{64}( \\\n)?)+", entry
        )
        assert match, f"not a version with hashes: {entry[:100]}"
        pinned[match[1]] = match[2]
    project = tomllib.loads((EXTENSION.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    # The MCP server is offered to VS Code.
    for it in map(Requirement, [*project["dependencies"], *project["optional-dependencies"]["mcp"]]):
        version = pinned[it.name.lower().replace("_", "-").replace(".", "-")]
        assert it.specifier.contains(version), f"{it} is locked as {version}"


def test_the_lock_has_the_files_of_all_systems() -> None:
    """A compiled package has some thirty files: for each Python, system and processor."""
    hashes = {it.partition("==")[0]: it.count("--hash") for it in re.split(r"\n(?=\S)", LOCK)}
    compiled = (
        "cffi",
        "cryptography",
        "google-re2",
        "markupsafe",
        "pydantic-core",
        "pyyaml",
        "regex",
        "rpds-py",
    )
    assert [it for it in compiled if hashes[it] < 30] == []
