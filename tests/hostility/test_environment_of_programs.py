"""Class "environment and processes": what hooks, agents and graders' programs inherit cannot be used against the user."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostility.bait import CANARY

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs shells and modes of Unix")

EVAL = """\
name: demo
skill: demo-skill
config: {trials_per_task: 1, timeout_seconds: 30, executor: mock, model: none}
hooks:
  before_run: [{command: ./hook.sh, exit_codes: [0], error_on_fail: true}]
graders:
  - {type: program, name: program, config: {command: "ROOT/program.sh"}}
tasks: [tasks/*.yaml]
"""
INJECTED = (
    *(
        "LD_PRELOAD",
        "LD_AUDIT",
        "LD_DEBUG_OUTPUT",
        "DYLD_INSERT_LIBRARIES",
        "BASH_ENV",
        "ENV",
        "PROMPT_COMMAND",
    ),
    *("SHELLOPTS", "PYTHONSTARTUP", "PYTHONHOME", "PYTHONINSPECT", "PYTHONBREAKPOINT", "PYTHONPYCACHEPREFIX"),
    *("NODE_OPTIONS", "PERL5OPT", "PERL5LIB", "RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"),
    *(
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_COUNT",
        "GIT_SSH_COMMAND",
    ),
    *(
        "GIT_EXTERNAL_DIFF",
        "GIT_ASKPASS",
        "GIT_EXEC_PATH",
        "SSH_ASKPASS",
        "SSH_AUTH_SOCK",
        "OLDPWD",
        "CDPATH",
        "IFS",
    ),
    *("GITHUB_TOKEN", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "NPM_TOKEN", "KUBECONFIG", "AWS_PROFILE"),
    *("WAZA_LSP_SECRET", "VSCODE_IPC_HOOK_CLI", "VSCODE_GIT_ASKPASS_NODE", "DBUS_SESSION_BUS_ADDRESS"),
    *("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "ANTHROPIC_API_KEY", "COPILOT_PROVIDER_API_KEY", "HF_TOKEN"),
)
HIJACKED = ("git", "python", "python3", "node", "bash-helper")
SEARCHED = {
    "PATH": f".:{{path}}::bin:{'..'}",
    "PYTHONPATH": ":.:lib",
    "NODE_PATH": ".:",
    "LD_LIBRARY_PATH": ":lib",
    "GEM_PATH": ".",
}
PLACES = ("hook", "agent", "program")


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run an eval with a hostile environment; each place leaves what it got in a file of its name."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "tasks").mkdir()
    (folder / "eval.yaml").write_text(EVAL.replace("ROOT", str(folder)), encoding="utf-8")
    (folder / "tasks/a.yaml").write_text("id: a\nname: A\ninputs: {prompt: hello}\n", encoding="utf-8")
    noted = "env > {0}/{1}.env; ls -l /proc/self/fd > {0}/{1}.fds 2>/dev/null; pwd -P > {0}/{1}.pwd"
    hijack = "".join(
        f"printf '#!/bin/sh\\ntouch {folder}/hijacked-{it}\\n' > {it}; chmod +x {it}\n" for it in HIJACKED
    )
    use = "".join(f"{it} --version >/dev/null 2>&1; " for it in HIJACKED)
    for it in PLACES:
        script = folder / f"{it}.sh"
        body = noted.format(folder, it) + ("\n" + hijack if it == "agent" else "") + "\n" + use
        script.write_text(f"#!/bin/bash -p\n{body}\ntrue\n", encoding="utf-8")
        script.chmod(0o755)
    searched = {name: value.format(path=os.environ["PATH"]) for name, value in SEARCHED.items()}
    # The library and interpreter variables would break our own start; a poisoned shell would set them for the child.
    own = {
        "LD_PRELOAD",
        "LD_AUDIT",
        "LD_DEBUG_OUTPUT",
        "PYTHONHOME",
        "PYTHONINSPECT",
        "IFS",
        "ENV",
        "SHELLOPTS",
    }
    secret = os.open(folder / "eval.yaml", os.O_RDONLY)
    os.set_inheritable(secret, True)
    done = subprocess.run(
        [
            sys.executable,
            "-P",
            "-m",
            "waza_lsp",
            "run",
            "eval.yaml",
            "--agent-command",
            f"{folder}/agent.sh",
            "-q",
        ],
        cwd=folder,
        env={**os.environ, **dict.fromkeys(sorted(set(INJECTED) - own), CANARY), **searched},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        pass_fds=[secret],
    )
    os.close(secret)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def _environment(left: Path, place: str) -> dict[str, str]:
    lines = (left / f"{place}.env").read_text(encoding="utf-8").splitlines()
    return dict(it.split("=", 1) for it in lines if "=" in it)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("variable", INJECTED)
def test_environment_a_variable_is_not_passed_on(variable: str, place: str, left: Path) -> None:
    assert _environment(left, place).get(variable) != CANARY


@pytest.mark.parametrize("place", PLACES)
def test_environment_has_our_secret_nowhere(place: str, left: Path) -> None:
    assert CANARY not in (left / f"{place}.env").read_text(encoding="utf-8")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("variable", sorted(SEARCHED))
def test_environment_nothing_is_searched_where_a_program_starts(
    variable: str, place: str, left: Path
) -> None:
    folders = _environment(left, place).get(variable, "/").split(os.pathsep)
    started = (left / f"{place}.pwd").read_text(encoding="utf-8").strip()
    assert all(Path(it).is_absolute() for it in folders)
    if place == "agent":  # The others start where the user does.
        assert not any(Path(it).is_relative_to(started) for it in folders)


@pytest.mark.parametrize("name", HIJACKED)
def test_environment_a_file_in_the_workspace_hijacks_no_program(name: str, left: Path) -> None:
    assert not (left / f"hijacked-{name}").exists()


@pytest.mark.parametrize("place", PLACES)
def test_environment_pwd_is_where_a_program_starts(place: str, left: Path) -> None:
    found = _environment(left, place)
    assert os.path.realpath(found["PWD"]) == (left / f"{place}.pwd").read_text(encoding="utf-8").strip()
    assert "OLDPWD" not in found


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("place", PLACES)
def test_environment_no_open_file_is_inherited(place: str, left: Path) -> None:
    text = (left / f"{place}.fds").read_text(encoding="utf-8")
    assert "eval.yaml" not in text
    assert "sqlite" not in text
