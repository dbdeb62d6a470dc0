"""The second line: what the guards of each language refuse when the kernel has no wall.

The interpreters start without the wall here, as on a system that has none.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostility.bait import CANARY
from waza_engine.assertions import evaluation, interpreters
from waza_engine.assertions.evaluation import evaluate_javascript, evaluate_python
from waza_engine.graders.base import GradeError

OS = "re.enum.sys.modules['os']"
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")


@pytest.fixture(autouse=True)
def no_wall(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(interpreters, "_behind_wall", lambda command, **_: command)
    python, javascript = interpreters.python_workers(), interpreters.javascript_workers()
    monkeypatch.setattr(evaluation, "_PYTHON", python)
    monkeypatch.setattr(evaluation, "_JAVASCRIPT", javascript)
    yield
    python.close()
    javascript.close()


def _javascript(assertion: str, **names: str) -> str:
    try:
        [outcome] = evaluate_javascript([assertion], names, milliseconds=2_000)
    except GradeError as error:
        return f"no verdict: {error}"
    return f"{outcome.kind}: {outcome.text}"


def _python(assertion: str, folder: Path, **names: str) -> str:
    try:
        [outcome] = evaluate_python([assertion], names, folder)
    except GradeError as error:
        return f"no verdict: {error}"
    return f"{outcome.kind}: {outcome.text}"


_REALM = {
    "error of a rejected import": "import('x').catch((e) => use(e.constructor.constructor))",
    "prototype of that error": "import('x').catch((e) => use(Object.getPrototypeOf(Object.getPrototypeOf(e)).constructor.constructor))",
    "second argument of then": "import('x').then(null, (e) => use(e.constructor.constructor))",
    "finally": "import('x').finally(function () { use(this?.constructor?.constructor) })",
    "awaited import": "(async () => { try { await import('x') } catch (e) { use(e.constructor.constructor) } })()",
    "promise of an import": "use(import('x').constructor.constructor)",
    "method of that promise": "use(import('x').then.constructor)",
    "species of that promise": "use(import('x').constructor[Symbol.species].constructor)",
    "async function's promise": "use((async () => { await import('x') })().constructor.constructor)",
    "stack frames": "import('x').catch((e) => { e.constructor.prepareStackTrace = (_, f) => f[0]; use((f => f.getFunction?.() ?? f.getThis?.())(new e.constructor().stack)?.constructor) })",
    "deep recursion": "(() => { const f = () => { try { f() } catch (e) { use(e.constructor.constructor) } }; f() })()",
    "host global": "use(globalThis.constructor.constructor)",
    "error of a host function": "(() => { try { JSON.parse({ toString() { throw null } }) } catch (e) { use(e?.constructor?.constructor) } try { null.x } catch (e) { use(e.constructor.constructor) } })()",
    "generator function": "use((function* () {}).constructor)",
    "dynamic import with options": "import('x', { with: { type: 'json' } }).catch((e) => use(e.constructor.constructor))",
}
"""Ways to an object whose realm might be that of the interpreter itself."""
_USE = """
(() => { const use = (make) => {
  for (const code of ['return process', 'return globalThis.process', 'return this.process']) {
    try {
      const found = make(code)();
      (found.getBuiltinModule ?? ((it) => found.mainModule.require(it)))('fs').writeFileSync(outside, 'escaped');
    } catch (e) {}
  }
}; ATTACK; return true })()
"""


@needs_node
@pytest.mark.parametrize("way", sorted(_REALM))
def test_host_realm_error_from_rejected_import(way: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text(CANARY, encoding="utf-8")
    _javascript(_USE.replace("ATTACK", _REALM[way]), outside=str(outside))
    # The next request finds an interpreter that nothing has changed.
    assert _javascript("1 + 1 === 2") == "pass: "
    assert outside.read_text(encoding="utf-8") == CANARY


@needs_node
@pytest.mark.parametrize(
    "change",
    [
        "(e) => { e.__proto__.__proto__.toString = () => 'x' }",
        "(e) => { e.constructor.prototype.then = 1 }",
        "(e) => { Object.getPrototypeOf(e.constructor).call = () => 1 }",
        "(e) => { e.constructor.__proto__.__proto__.toJSON = () => ({ results: [['pass', '']] }) }",
    ],
)
def test_the_host_realm_cannot_be_changed(change: str) -> None:
    _javascript(f"(import('x').catch({change}), true)")
    assert _javascript("1 === 2") == "fail: "


_FRAMES = {
    "frame of the audit hook": "tb_next.tb_frame",
    "caller of that frame": "tb_next.tb_frame.f_back",
    "frame of the assertion": "tb_frame",
    "caller of the assertion": "tb_frame.f_back",
    "caller of the caller": "tb_frame.f_back.f_back",
    "the outermost frame": "tb_frame.f_back.f_back.f_back.f_back.f_back",
}


@pytest.mark.parametrize("way", sorted(_FRAMES))
@pytest.mark.parametrize(
    "use",
    [
        "F.f_globals['os'].system('touch made')",
        "F.f_locals.update(refused_events=(), refused=False)",
        "F.f_locals['refused_events']",
        "F.f_globals.__setitem__('_REFUSED', ())",
        "[it for it in F.f_locals.values() if type(it) is bytes and len(it) == 16][0]",
        "[it for it in F.f_locals.values() if type(it).__name__ == 'partial'][0](b'x')",
    ],
)
def test_audit_hook_traceback_frames(way: str, use: str, tmp_path: Path) -> None:
    """A refused call leaves a traceback with the frame of the audit hook: nothing in it takes the hook away."""
    outside = tmp_path / "outside.txt"
    outside.write_text(CANARY, encoding="utf-8")
    folder = tmp_path / "here"
    folder.mkdir()
    code = (
        "import sys, os\n"
        "try:\n    open(outside)\nexcept BaseException as error:\n"
        f"    F = error.__traceback__.{_FRAMES[way]}\n"
        "    try:\n"
        f"        {use}\n"
        "    except BaseException:\n        pass\n"
        "try:\n    found = open(outside).read()\nexcept BaseException:\n    found = ''\n"
        "try:\n    os.system('touch made')\nexcept BaseException:\n    pass\n"
        "answer.append(found)\n"
    )
    names = "{'__builtins__': b, 'outside': outside, 'answer': a}"
    assertion = f"[a := [], b := re.enum.sys.modules['builtins'], b.exec({code!r}, {names})] and a[0] != ''"
    answer = _python(assertion, folder, outside=str(outside))
    assert not answer.startswith("pass"), answer
    assert not list(folder.iterdir())


@pytest.mark.parametrize("module", ["_ctypes", "_socket", "_posixsubprocess", "mmap", "fcntl"])
@pytest.mark.parametrize(
    "load",
    [
        "__import__(NAME)",
        "m.ExtensionFileLoader(NAME, PATH).load_module()",
        "m.ExtensionFileLoader('x.' + NAME, PATH).load_module()",
        "m.ExtensionFileLoader('harmless', PATH).load_module()",
        "u.module_from_spec(u.spec_from_file_location(NAME, PATH, loader=m.ExtensionFileLoader(NAME, PATH)))",
        "u.module_from_spec(u.spec_from_file_location('x.' + NAME, PATH, loader=m.ExtensionFileLoader('x.' + NAME, PATH)))",
        "sys.modules['_imp'].create_dynamic(u.spec_from_file_location(NAME, PATH, loader=m.ExtensionFileLoader(NAME, PATH)))",
        "sys.modules['_imp'].create_dynamic(type('S', (), {'name': type('N', (str,), {'rpartition': lambda s, x: ('', '', 'json')})(NAME), 'origin': PATH})())",
    ],
)
def test_extension_loader(module: str, load: str, tmp_path: Path) -> None:
    import importlib.util

    spec = importlib.util.find_spec(module)
    if spec is None or not (spec.origin or "").endswith(".so"):
        pytest.skip("the module is part of this interpreter")
    code = load.replace("NAME", repr(module)).replace("PATH", repr(spec.origin))
    imports = (
        "[m := re.enum.sys.modules['builtins'].__import__('importlib.machinery').machinery, "
        "u := re.enum.sys.modules['builtins'].__import__('importlib.util').util, sys := re.enum.sys, "
        "__import__ := re.enum.sys.modules['builtins'].__import__, "
        "type := re.enum.sys.modules['builtins'].type, repr := re.enum.sys.modules['builtins'].repr]"
    )
    answer = _python(f"{imports} and {code} is not None", tmp_path)
    assert not answer.startswith("pass"), answer


@pytest.mark.parametrize("module", ["_xxsubinterpreters", "_interpreters"])
def test_another_interpreter(module: str, tmp_path: Path) -> None:
    """Another interpreter in the process has no audit hook of ours."""
    code = f"m = __import__({module!r})\nm.run_string(m.create(), 'import os; os.system(\"touch made\")')\n"
    assertion = f"[b := re.enum.sys.modules['builtins'], b.exec({code!r}, {{'__builtins__': b}})] != []"
    assert not _python(assertion, tmp_path).startswith("pass")
    assert not list(tmp_path.iterdir())
