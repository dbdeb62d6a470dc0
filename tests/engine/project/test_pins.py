"""The version of a runner that a project pins, and the settings that override it."""

from pathlib import Path

import pytest

from waza_engine.analysis.pipeline import check_context, check_file
from waza_engine.lib.queries.store import Database
from waza_engine.project.pins import pinned as pinned_version
from waza_engine.project.settings import Projects, ProjectSettings

PACKAGES = ("@microsoft/vally", "@microsoft/vally-cli")


def _pinned(folder: Path, files: dict[str, str], below: str = "") -> tuple[str, str] | None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    found = pinned_version(Database(), folder / below, PACKAGES, "")
    return (found.version, found.path.relative_to(folder).as_posix()) if found else None


def _manifest(version: str, section: str = "devDependencies", name: str = "@microsoft/vally-cli") -> str:
    return f'{{"name": "x", "{section}": {{"{name}": "{version}"}}}}'


@pytest.mark.parametrize(
    ("version", "pinned"),
    [
        ("0.15.0", "0.15.0"),
        ("^0.15.2", "0.15.2"),
        ("~0.15", "0.15"),
        ("v0.15.0", "0.15.0"),
        ("0.15.0-beta.1", "0.15.0"),
        ("0.15.x", "0.15"),
        ("latest", None),
        (">=0.15.0", None),
        ("workspace:*", None),
        ("0.15.0 || 0.16.0", None),
    ],
)
def test_a_manifest(tmp_path: Path, version: str, pinned: str | None) -> None:
    found = _pinned(tmp_path, {"package.json": _manifest(version)})
    assert found == (None if pinned is None else (pinned, "package.json"))


def test_the_nearest_project_that_pins_the_runner_counts(tmp_path: Path) -> None:
    files = {
        "package.json": _manifest("0.12.0", "dependencies", "@microsoft/vally"),
        "a/package.json": '{"name": "other"}',
        "b/package.json": _manifest("0.14.0"),
    }
    assert _pinned(tmp_path, files, "a") == ("0.12.0", "package.json")
    assert _pinned(tmp_path, {}, "b/evals") == ("0.14.0", "b/package.json")


NPM = '{"packages": {"node_modules/@microsoft/vally-cli": {\n  "version": "0.13.1",\n  "dev": true}}}'
YARN = '"@microsoft/vally-cli@latest":\n  version "0.13.1"\n'
YARN_2 = '"@microsoft/vally-cli@npm:latest":\n  version: 0.13.1\n'
NPM_1 = '{"dependencies": {"@microsoft/vally-cli": {\n  "version": "0.13.1"}}}'
BUN = '{"packages": {"@microsoft/vally-cli": ["@microsoft/vally-cli@0.13.1", "", {}]}}'
IMPORTERS = "importers:\n\n  a:\n    devDependencies:\n      '@microsoft/vally-cli':\n        specifier: latest\n        version: 0.13.1(x@1.0.0)\n"
PNPM = "packages:\n\n  '@microsoft/vally-cli@0.13.1':\n    resolution: {}\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("package-lock.json", NPM),
        ("package-lock.json", NPM_1),
        ("npm-shrinkwrap.json", NPM),
        ("yarn.lock", YARN),
        ("yarn.lock", YARN_2),
        ("pnpm-lock.yaml", PNPM),
        ("pnpm-lock.yaml", IMPORTERS),
        ("bun.lock", BUN),
    ],
)
def test_a_lock_file_tells_what_the_manifest_leaves_open(tmp_path: Path, name: str, text: str) -> None:
    files = {"package.json": '{"workspaces": ["a"]}', "a/package.json": _manifest("latest"), name: text}
    assert _pinned(tmp_path, files, "a/evals") == ("0.13.1", name)


@pytest.mark.parametrize(
    ("version", "pinned"),
    [("^0.12.0", ("0.13.1", "package-lock.json")), ("0.12.0", ("0.12.0", "package.json"))],
)
def test_the_lock_file_says_what_a_range_stands_for(
    tmp_path: Path, version: str, pinned: tuple[str, str]
) -> None:
    files = {"package.json": _manifest(version), "package-lock.json": NPM}
    assert _pinned(tmp_path, files) == pinned


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ('{"scripts": {"lint": "npx -y @microsoft/vally-cli@0.14.0 lint"}}', "0.14.0"),
        ('{"optionalDependencies": {"@microsoft/vally": "0.14.0"}}', "0.14.0"),
        ('{"dependencies": {"vally": "npm:@microsoft/vally-cli@^0.14.0"}}', "0.14.0"),
    ],
)
def test_other_ways_to_pin_in_a_manifest(tmp_path: Path, text: str, version: str) -> None:
    assert _pinned(tmp_path, {"package.json": text}) == (version, "package.json")


def test_the_project_file_of_the_runner_comes_first(tmp_path: Path) -> None:
    (tmp_path / ".vally.yaml").write_text("paths: {evals: .}\ntarget: '0.16'  # ours\n", encoding="utf-8")
    (tmp_path / "package.json").write_text(_manifest("0.12.0"), encoding="utf-8")
    projects, folder = Projects(), tmp_path / "evals"
    assert (found := projects.pin(folder, "vally")) is not None
    assert (found.version, found.path.name) == ("0.16", ".vally.yaml")
    assert projects.pin(folder, "waza") is None


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"dependencies": 1}', '{"dependencies": {"@microsoft/vally": 1}}']
)
def test_odd_manifests_pin_nothing(tmp_path: Path, text: str) -> None:
    assert _pinned(tmp_path, {"package.json": text}) is None


def test_a_changed_manifest_is_read_again(tmp_path: Path) -> None:
    db, path = Database(), tmp_path / "package.json"
    assert pinned_version(db, tmp_path, PACKAGES, "") is None
    path.write_text(_manifest("0.14.0"), encoding="utf-8")
    assert pinned_version(db, tmp_path, PACKAGES, "") is not None
    path.write_text(_manifest("latest"), encoding="utf-8")
    assert pinned_version(db, tmp_path, PACKAGES, "") is None


@pytest.mark.parametrize(
    ("settings", "defaults", "pinned", "target"),
    [
        ('target = "0.10"\n[vally]\ntarget = "0.15"\n', ProjectSettings(target="0.34"), "0.13.0", "0.15"),
        ('target = "0.10"\n[waza]\ntarget = "0.34"\n', ProjectSettings(), "0.13.0", "0.10"),
        ("", ProjectSettings(target="0.34", targets={"vally": "0.16"}), "0.13.0", "0.16"),
        ("", ProjectSettings(target="0.34"), "0.13.0", "0.34"),
        ("", ProjectSettings(), "0.13.0", "0.13.0"),
        ("", ProjectSettings(), "", ""),
    ],
)
def test_the_order_of_precedence(
    tmp_path: Path, settings: str, defaults: ProjectSettings, pinned: str, target: str
) -> None:
    (tmp_path / ".waza-lsp.toml").write_text(settings, encoding="utf-8")
    if pinned:
        (tmp_path / "package.json").write_text(_manifest(pinned), encoding="utf-8")
    projects = Projects()
    context = check_context(
        tmp_path / "eval.yaml",
        projects.of(tmp_path),
        None,
        defaults=defaults,
        runner=projects.runner(tmp_path, "vally"),
    )
    assert context.target == target
    assert list(projects.with_problems()) == []


def test_a_bad_target_is_told(tmp_path: Path) -> None:
    (tmp_path / ".waza-lsp.toml").write_text("[vally]\ntarget = 0.15\nx = 1\n", encoding="utf-8")
    projects = Projects()
    assert projects.of(tmp_path).target_of("vally") == ""
    problems = [problem.message for it in projects.with_problems() for problem in it.problems]
    assert any("'vally.target' must be a version in quotes" in it for it in problems)
    assert any("Unknown key 'vally.x'" in it for it in problems)


def test_a_pinned_version_decides_the_findings(tmp_path: Path) -> None:
    path = tmp_path / "eval.yaml"
    path.write_text(
        "stimuli:\n  - name: a\n    prompt: p\n    mine: 1\n    graders: [{type: completed}]\n",
        encoding="utf-8",
    )
    assert [str(it.severity) for it in check_file(path)] == ["error"]
    (tmp_path / "package.json").write_text(_manifest("^0.16.0"), encoding="utf-8")
    assert [str(it.severity) for it in check_file(path)] == ["hint"]
