"""The kernel's wall around assertions: what code that has escaped from its language cannot do.

Each test runs a program behind the wall that does the forbidden thing directly, without any guard of a language.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

from tests.hostility.bait import CANARY, listener
from waza_engine.assertions import interpreters, wall
from waza_engine.lib.process.environment import program_environment

pytestmark = pytest.mark.skipif(
    bool(wall.missing_parts()), reason=f"the kernel lacks: {', '.join(wall.missing_parts())}"
)

_REPORT = """
import json, os, sys
def attempt():
    {code}
try:
    result = attempt()
except BaseException as error:
    print(json.dumps(["refused", f"{{type(error).__name__}}: {{error}}"]))
else:
    print(json.dumps(["done", repr(result)]))
"""


_OURS = os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)
_NOBODY = 65534


@cache
def _interpreter_of_anybody() -> str:
    """An interpreter that an ordinary user can start, or "" if there is none, or if we are no other user."""
    if os.geteuid() != 0:
        return ""
    for path in (_OURS, "/usr/bin/python3"):
        with suppress(OSError):
            started = subprocess.run([path, "-I", "-c", ""], check=False, capture_output=True, user=_NOBODY)
            if started.returncode == 0:
                return path
    return ""


@pytest.fixture(params=["the user of the tests", "an ordinary user"])
def user(request: pytest.FixtureRequest) -> int | None:
    """Who starts the wall: tests of root run as an ordinary user as well."""
    if request.param == "the user of the tests":
        return None
    if not _interpreter_of_anybody():
        pytest.skip("only root can become another user, and needs an interpreter that this user can start")
    return _NOBODY


def _behind_wall(code: str, *arguments: str, user: int | None = None) -> tuple[str, str]:
    """Return whether Python code was refused behind the wall, and with which text."""
    source = _REPORT.format(code=code.replace("\n", "\n    "))
    interpreter = _OURS if user is None else _interpreter_of_anybody()
    command = interpreters._behind_wall([interpreter, "-I", "-S", "-c", source, *arguments], python=True)
    environment = program_environment(os.environ)
    if user is not None:
        command[0] = interpreter
    done = subprocess.run(
        command,
        cwd="/",
        user=user,
        group=user,
        extra_groups=None if user is None else [],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=environment,
        start_new_session=True,
    )
    assert done.stdout, done.stderr
    kind, text = json.loads(done.stdout)
    return kind, text


@pytest.fixture
def secret() -> Iterator[Path]:
    """A file that anybody may read and change: only the wall refuses."""
    with tempfile.TemporaryDirectory(prefix="wall-") as folder:
        Path(folder).chmod(0o777)
        path = Path(folder, "secret.txt")
        path.write_text(CANARY, encoding="utf-8")
        path.chmod(0o666)
        yield path


def test_the_interpreter_works_behind_the_wall(user: int | None) -> None:
    code = "import re, json, unicodedata; return re.search('b', 'abc').start()"
    assert _behind_wall(code, user=user) == ("done", "1")


@pytest.mark.parametrize(("name", "starts"), [("ld-other.so.2", True), ("libother.so.2", False)])
def test_a_program_may_have_another_loader_than_ours(name: str, starts: bool, secret: Path) -> None:
    """Node.js of the system and a Python that came with its own C library, for example."""
    (loader, *_) = wall._loaders(())
    copy = shutil.copy(loader, secret.with_name(name))
    code = "import os, sys; os.execv(sys.argv[1], [sys.argv[1], '--version'])"
    command = interpreters._behind_wall(
        [_OURS, "-I", "-S", "-c", code, str(copy)], python=True, read=(str(copy),)
    )
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ("PermissionError" not in done.stderr) == starts, done.stderr


@pytest.mark.parametrize(
    "code",
    [
        "return open(sys.argv[1]).read()",
        "return os.open(sys.argv[1], os.O_RDONLY)",
        "return open(sys.argv[1], 'a').write('x')",
        "return os.open(sys.argv[1], os.O_PATH) and os.open(f'/proc/self/fd/3', os.O_RDONLY)",
        "return os.truncate(sys.argv[1], 0)",
        "return os.unlink(sys.argv[1])",
        "return os.rename(sys.argv[1], sys.argv[1] + '2')",
        "return os.link(sys.argv[1], sys.argv[1] + '2')",
        "return os.symlink('/etc', sys.argv[1] + '2')",
        "return os.mkdir(sys.argv[1] + '2')",
        "return os.mkfifo(sys.argv[1] + '2')",
        "return os.chmod(sys.argv[1], 0o777)",
        "return os.utime(sys.argv[1], (0, 0))",
        "return os.setxattr(sys.argv[1], 'user.a', b'1')",
        "return os.listdir(os.path.dirname(sys.argv[1]))",
        "return open('/etc/passwd').read()",
        "return open('/proc/self/environ').read()",
        "return open('/proc/%d/environ' % os.getppid()).read()",
        "return open('/proc/%d/mem' % os.getppid(), 'rb').read(1)",
        "return os.listdir('/proc')",
        "return open('/dev/mem', 'rb')",
        "return os.memfd_create('x')",
    ],
)
def test_files_are_out_of_reach(code: str, secret: Path, user: int | None) -> None:
    kind, text = _behind_wall(code, str(secret), user=user)
    assert (kind, CANARY in text) == ("refused", False), text
    assert secret.read_text(encoding="utf-8") == CANARY
    assert [it.name for it in secret.parent.iterdir()] == ["secret.txt"]


@pytest.mark.parametrize(
    "code",
    [
        "return os.execv('/bin/sh', ['sh', '-c', 'echo [0,0]'])",
        "pid = os.posix_spawn('/bin/true', ['true'], {})\nreturn os.WEXITSTATUS(os.waitpid(pid, 0)[1]) or 1 / 0",
        "return os.kill(os.getppid(), 0)",
        "return os.killpg(os.getpgid(os.getppid()), 0)",
        "return os.setsid()",
        "return os.setpriority(os.PRIO_PROCESS, 0, 0)",
        "return os.pidfd_open(os.getppid())",
        "import resource\nreturn resource.prlimit(os.getppid(), resource.RLIMIT_CPU)",
        "return os.chroot('/')",
        "import resource\nresource.setrlimit(resource.RLIMIT_NPROC, (0, 0))\nreturn os.fork()",
        "return os.setuid(0)",
    ],
)
def test_processes_are_out_of_reach(code: str, user: int | None) -> None:
    kind, text = _behind_wall(code, user=user)
    assert kind == "refused" or "exit" in text, text


@pytest.mark.parametrize(
    "module", ["_socket", "_ctypes", "_posixsubprocess", "mmap", "fcntl", "_multiprocessing"]
)
def test_libraries_that_reach_the_system_cannot_be_loaded(module: str) -> None:
    spec = __import__("importlib.util").util.find_spec(module)
    if spec is None or not (spec.origin or "").endswith(".so"):
        pytest.skip("the module is part of this interpreter")
    code = f"import importlib.machinery as m\nreturn m.ExtensionFileLoader({module!r}, {spec.origin!r}).load_module()"
    assert _behind_wall(code)[0] == "refused"


_NODE_ATTACKS = {
    "read": "require('fs').readFileSync('/etc/passwd')",
    "write": "require('fs').writeFileSync('/tmp/waza-escaped', 'x')",
    "exec": "require('child_process').execFileSync('/bin/true')",
    "shell": "require('child_process').execSync('true')",
    "environ": "require('fs').readFileSync('/proc/' + process.ppid + '/environ')",
    "kill": "process.kill(process.ppid, 0)",
    "fork": "if (require('child_process').spawnSync('/bin/true').error) throw new Error('refused')",
}


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
@pytest.mark.parametrize("attack", sorted(_NODE_ATTACKS))
def test_node_is_behind_the_same_wall(attack: str) -> None:
    about = interpreters._node(os.path.realpath(shutil.which("node") or ""))
    code = f"try {{ {_NODE_ATTACKS[attack]}; console.log('done') }} catch (e) {{ console.log('refused') }}"
    # Without Node's own permissions: the kernel alone must refuse.
    command = interpreters._behind_wall([about.path, "-e", code], read=about.files)
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout.strip() == "refused", done.stderr


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
def test_node_reaches_no_network() -> None:
    about = interpreters._node(os.path.realpath(shutil.which("node") or ""))
    with listener() as (port, came):
        code = f"require('net').connect({port}, '127.0.0.1').on('error', (e) => console.log(e.code))"
        command = interpreters._behind_wall([about.path, "-e", code], read=about.files)
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout.strip() == "EPERM", done.stderr
    assert not came


def test_what_the_kernel_lacks_is_said_once_and_in_the_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from waza_engine.dialects.waza.graders.code import CodeGrader
    from waza_engine.graders.base import GradingContext

    grader = CodeGrader.model_validate({"assertions": ["True"]})
    assert "unprotected" not in (grader.grade(GradingContext(process_dir=tmp_path)).details or {})
    monkeypatch.setattr("waza_engine.dialects.waza.graders.code.missing_parts", lambda: ("no landlock",))
    details = grader.grade(GradingContext(process_dir=tmp_path)).details or {}
    assert details["unprotected"] == ["no landlock"]


@pytest.mark.parametrize("call", ["_LANDLOCK_CREATE", "_LANDLOCK_RESTRICT", "_SECCOMP"])
def test_a_part_of_the_wall_that_cannot_be_built_starts_nothing(call: str) -> None:
    command = interpreters._behind_wall([_OURS, "-I", "-S", "-c", "print('started')"], python=True)
    [source] = [it for it in command if "_LANDLOCK_CREATE" in it]
    # A call that the kernel does not have stands in for one that it refuses; asking for the version still works.
    broken = {
        "_LANDLOCK_CREATE": (
            "rules = _syscall(_LANDLOCK_CREATE, attributes",
            "rules = _syscall(9999, attributes",
        ),
        "_LANDLOCK_RESTRICT": ("_syscall(_LANDLOCK_RESTRICT,", "_syscall(9999,"),
        "_SECCOMP": ("filtered = _syscall(_SECCOMP[column],", "filtered = _syscall(9999,"),
    }[call]
    assert broken[0] in source
    command[command.index(source)] = source.replace(*broken)
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode != 0
    assert "started" not in done.stdout
    assert "the wall cannot be built" in done.stderr


_ASSERTING = """
name: demo
skill: demo-skill
config: {trials_per_task: 2, timeout_seconds: 30, executor: mock, model: none}
graders:
  - {type: code, name: one, config: {assertions: ["True"]}}
  - {type: code, name: two, config: {assertions: ["len(output) > 0"]}}
tasks: [tasks/*.yaml]
"""


@pytest.mark.parametrize(
    ("lacking", "said"),
    [
        ("wall._landlock_version = lambda: 0", "the kernel has no landlock: files are not protected"),
        ("wall._landlock_version = lambda: 3", "landlock is version 3: signals to other processes"),
        ("wall._MACHINES = {}", "seccomp is off"),
        ("wall._has_seccomp = lambda: False", "the kernel has no seccomp"),
    ],
)
def test_a_run_on_a_kernel_that_lacks_a_part_says_so_once(lacking: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "eval.yaml").write_text(_ASSERTING, encoding="utf-8")
    (tmp_path / "tasks").mkdir()
    for name in ("a", "b"):
        (tmp_path / f"tasks/{name}.yaml").write_text(
            f"id: {name}\nname: {name}\ninputs: {{prompt: hello}}\n", encoding="utf-8"
        )
    code = (
        f"from waza_engine.assertions import wall; {lacking}\n"
        "from waza_lsp.cli import main; main(['run', 'eval.yaml', '--output', 'out.json'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("assertions run with less protection") == 1
    assert done.stderr.count(said) == 1
    assert said in (tmp_path / "out.json").read_text(encoding="utf-8")
