"""Assertions that reach for what is not theirs. They are expressions of a file that somebody else wrote."""

import os
import shutil
import time
from pathlib import Path

import pytest

from tests.hostility.bait import CANARY, listener
from waza_engine.assertions.evaluation import Outcome, evaluate_javascript, evaluate_python
from waza_engine.assertions.interpreters import python_workers
from waza_engine.assertions.workers import Workers
from waza_engine.graders.base import GradeError

SYS = "re.enum.sys"
BUILTINS = f"{SYS}.modules['builtins']"
OS = f"{SYS}.modules['os']"
MAIN = f"{SYS}.modules['__main__']"
SUBCLASSES = "().__class__.__base__.__subclasses__()"
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="limits inside the worker need fork")
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")


def gained(assertion: str, folder: Path, workers: Workers | None = None, **names: str) -> str:
    """What an attack brought its author: `pass` and `fail` are a bit of knowledge, a text is more."""
    try:
        [outcome] = evaluate_python([assertion], {"output": "hello", **names}, folder, workers)
    except GradeError as error:
        return f"no verdict: {error}"
    return f"{outcome.kind}: {outcome.text}"


@pytest.mark.parametrize(
    "assertion",
    [
        f"{BUILTINS}.open(outside).read()",
        f"{BUILTINS}.open(outside, 'rb').read()",
        f"{OS}.open(outside, 0)",
        f"{OS}.fdopen({OS}.open(outside, 0)).read()",
        f"{SYS}.modules['io'].FileIO(outside).readall()",
        f"{SYS}.modules['_io'].open_code(outside).read()",
        f"{BUILTINS}.__import__('pathlib').Path(outside).read_text()",
        f"{BUILTINS}.__import__('linecache').getline(outside, 1)[:4] == 'cana'",
        f"{BUILTINS}.__import__('fileinput').input(outside).readline()",
        f"{BUILTINS}.__import__('mmap').mmap(3, 10)",
        f"[c for c in {SUBCLASSES} if c.__name__ == 'FileLoader'][0]('x', outside).get_data(outside)",
        f"{OS}.listdir({OS}.path.dirname(outside))",
        f"list({OS}.scandir({OS}.path.dirname(outside)))",
        f"{BUILTINS}.__import__('sqlite3').connect(outside)",
        f"{BUILTINS}.__import__('shutil').copy(outside, 'here')",
        f"{BUILTINS}.eval(\"__import__('builtins').open(outside).read()\", {{'outside': outside}})",
        f"{BUILTINS}.exec(\"open(o).read()\", {{'o': outside}})",
        f"{OS}.link(outside, 'here')",
        f"{OS}.symlink(outside, 'here')",
        f"{BUILTINS}.open({OS}.path.dirname({OS}.__file__) + '/../../../../../../../../' + outside).read()",
    ],
)
def test_no_file_outside_is_read(assertion: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text(CANARY, encoding="utf-8")
    folder = tmp_path / "here"
    folder.mkdir()
    answer = gained(assertion, folder, outside=str(outside))
    assert answer.startswith(("error", "no verdict", "fail"))
    assert CANARY not in answer
    assert not list(folder.iterdir())


@pytest.mark.parametrize(
    "assertion",
    [
        f"{BUILTINS}.open('made', 'w')",
        f"{BUILTINS}.open('made', 'x')",
        f"{BUILTINS}.open(outside, 'a').write('x')",
        f"{OS}.truncate(outside, 0)",
        f"{OS}.unlink(outside)",
        f"{OS}.rename(outside, outside + '2')",
        f"{OS}.replace(outside, 'here')",
        f"{OS}.chmod(outside, 0)",
        f"{OS}.utime(outside, (0, 0))",
        f"{OS}.mkdir('made')",
        f"{OS}.mkfifo('made')",
        f"{BUILTINS}.__import__('tempfile').mkstemp(dir='.')",
        f"{BUILTINS}.__import__('shutil').rmtree({OS}.path.dirname(outside))",
        f"{BUILTINS}.__import__('logging').FileHandler('made')",
    ],
)
def test_nothing_is_written_or_removed(assertion: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside" / "file.txt"
    outside.parent.mkdir()
    outside.write_text(CANARY, encoding="utf-8")
    before = outside.stat()
    folder = tmp_path / "here"
    folder.mkdir()
    assert gained(assertion, folder, outside=str(outside)).startswith(("error", "no verdict"))
    assert outside.read_text(encoding="utf-8") == CANARY
    assert outside.stat().st_mtime_ns == before.st_mtime_ns
    assert outside.stat().st_mode == before.st_mode
    assert not list(folder.iterdir())


@pytest.mark.parametrize(
    "assertion",
    [
        f"{OS}.system('touch made')",
        f"{OS}.popen('touch made').read()",
        f"{OS}.spawnv(0, '/usr/bin/touch', ['touch', 'made'])",
        f"{OS}.execv('/usr/bin/touch', ['touch', 'made'])",
        f"{OS}.posix_spawn('/usr/bin/touch', ['touch', 'made'], {{}})",
        f"{OS}.fork()",
        f"{OS}.forkpty()",
        f"{BUILTINS}.__import__('subprocess').run(['touch', 'made'])",
        f"{BUILTINS}.__import__('pty').spawn(['touch', 'made'])",
        f"{BUILTINS}.__import__('multiprocessing').Process(target=print).start()",
        f"{BUILTINS}.__import__('_posixsubprocess')",
        f"{BUILTINS}.__import__('ctypes').CDLL(None).system(b'touch made')",
        f"{OS}.kill({OS}.getppid(), 9)",
        f"{OS}.killpg({OS}.getpgid({OS}.getppid()), 9)",
        f"{BUILTINS}.__import__('signal').pthread_kill(0, 9)",
    ],
)
def test_no_process_is_started_or_killed(assertion: str, tmp_path: Path) -> None:
    workers = python_workers()
    try:
        assert gained("True", tmp_path, workers) == "pass: "
        [worker] = workers._idle
        assert gained(assertion, tmp_path, workers).startswith(("error", "no verdict"))
        assert worker.poll() is None
        assert not list(tmp_path.iterdir())
    finally:
        workers.close()


@pytest.mark.parametrize(
    "assertion",
    [
        f"{BUILTINS}.__import__('socket').create_connection(('127.0.0.1', port))",
        f"{BUILTINS}.__import__('_socket').socket().connect(('127.0.0.1', port))",
        f"{BUILTINS}.__import__('urllib.request').request.urlopen(f'http://127.0.0.1:{{port}}')",
        f"{BUILTINS}.__import__('http.client').client.HTTPConnection('127.0.0.1', port).request('GET', '/')",
        f"{BUILTINS}.__import__('asyncio').run("
        f"{BUILTINS}.__import__('asyncio').open_connection('127.0.0.1', port))",
    ],
)
def test_the_network_is_not_reached(assertion: str, tmp_path: Path) -> None:
    with listener() as (port, came):
        [outcome] = evaluate_python([assertion], {"port": port}, tmp_path)
    assert outcome.kind == "error"
    assert not came


def test_the_environment_has_no_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    workers = python_workers()
    try:
        for assertion in (f"'{CANARY}' in str({OS}.environ)", f"{{}}[str({OS}.environ)]"):
            assert CANARY not in gained(assertion, tmp_path, workers).replace(assertion, "")
            assert not gained(assertion, tmp_path, workers).startswith("pass")
    finally:
        workers.close()


@pytest.mark.parametrize(
    "assertion",
    [
        f"{MAIN}.__dict__.__setitem__('_REFUSED', ('none',)) or {OS}.system('touch made') == 0",
        f"{MAIN}.__dict__.__setitem__('_REFUSED_MODULES', ()) or {BUILTINS}.__import__('ctypes')",
        f"{MAIN}.__dict__.__setitem__('_WRITING', 0) or {BUILTINS}.open('made', 'w')",
        f"{MAIN}.__dict__.__setitem__('_guard', None) or {BUILTINS}.open('made', 'w')",
        f"{BUILTINS}.__import__('gc').get_objects()",
        f"{BUILTINS}.__import__('resource').setrlimit(1, (9, 9))",
    ],
)
def test_the_guard_cannot_be_talked_out_of_it(assertion: str, tmp_path: Path) -> None:
    assert gained(assertion, tmp_path).startswith(("error", "no verdict"))
    assert not list(tmp_path.iterdir())


@needs_fork
@pytest.mark.parametrize(
    "assertion",
    [
        "9**9**9",
        "[x for x in iter(int, 1)]",
        "'a' * 10**11",
        "[[0] * 10**7] * 10**3 == [[1] * 10**7] * 10**3 or str([0] * 10**9)",
        "re.search('(a+)+$', 'a' * 64 + '!')",
        "re.search('(a|a)*b', 'a' * 64)",
        f"{SYS}.modules['time'].sleep(3600)",
        f"{SYS}.setrecursionlimit(10**9) or (lambda f: f(f))(lambda f: f(f))",
        f"{SYS}.stdout.write('x' * 10**8)",
        "'%' + '9' * 9 + 'd' in '%0999999999d' % 1",
        "int('9' * 10**7)",
        "str(10**10**7)",
    ],
)
def test_time_memory_and_output_are_bounded(assertion: str, tmp_path: Path) -> None:
    workers = python_workers(seconds=1.0, memory_bytes=300 << 20, output_bytes=100_000)
    try:
        started = time.monotonic()
        assert not gained(assertion, tmp_path, workers).startswith("pass")
        assert time.monotonic() - started < 5
        assert gained("True", tmp_path, workers) == "pass: "
    finally:
        workers.close()


@needs_fork
def test_an_attack_leaves_nothing_for_the_next_grader(tmp_path: Path) -> None:
    for it in (
        f"{BUILTINS}.__dict__.__setitem__('len', lambda _x: 0)",
        "re.__dict__.__setitem__('search', lambda *_: True)",
        f"{SYS}.modules.clear()",
        f"{SYS}.settrace(lambda *_: 1/0)",
    ):
        gained(it, tmp_path)
        assert gained("len(output) == 5 and not re.search('x', output)", tmp_path) == "pass: "


@needs_node
@pytest.mark.parametrize(
    "assertion",
    [
        "this.constructor.constructor('return process')().env",
        "Array.constructor('return process')()",
        "Object.constructor.constructor('return this.process')().exit(0)",
        "(function () { return arguments.callee.caller.constructor('return process')() })()",
        "output.constructor.constructor('return require')()('fs').readFileSync('/etc/passwd')",
        "new Error().constructor.constructor('return globalThis.process.mainModule')().require('child_process')",
        "Promise.constructor.constructor('return process')().binding('fs')",
        "(async () => {}).constructor('return process')() instanceof Promise && process.exit()",
        "Error.prepareStackTrace = (_, sites) => sites[0].getThis().process.exit(); new Error().stack.length < 0",
        "console.constructor.constructor('return process')().exit(0)",
        "fetch('http://127.0.0.1:9')",
        "require('fs')",
        "process.exit(0)",
        "while (true) {}",
        "/(a+)+$/.test('a'.repeat(40) + '!')",
        "'x'.repeat(2 ** 29).repeat(100)",
        "new Array(2 ** 32 - 1).fill(1).length",
        "const a = []; while (true) a.push(new Array(1e6).fill(1.5))",
    ],
)
def test_javascript_stays_in_its_context(assertion: str) -> None:
    started = time.monotonic()
    try:
        outcomes = evaluate_javascript([assertion], {"output": "hello"}, milliseconds=1_000)
    except GradeError:
        outcomes = [Outcome("error")]
    assert [it.kind for it in outcomes] == ["error"] or outcomes[0].kind == "fail"
    assert time.monotonic() - started < 15
    assert evaluate_javascript(["output === 'hello'"], {"output": "hello"}) == [Outcome("pass")]


@needs_node
def test_a_dynamic_import_gives_no_module() -> None:
    with pytest.raises(GradeError):
        evaluate_javascript(["import('fs')"], {}, milliseconds=1_000)
