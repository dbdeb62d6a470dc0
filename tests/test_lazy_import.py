"""Modules that are put off are imported when something of them is looked up, and are themselves then."""

import subprocess
import sys
from pathlib import Path

_HEAD = "import sys\nfrom waza_lsp.lazy_import import import_lazily\n"


def said(text: str) -> str:
    ended = subprocess.run(
        [sys.executable, "-P", "-c", _HEAD + text], capture_output=True, text=True, check=True
    )
    return ended.stdout.strip()


def test_an_import_alone_does_not_import_it() -> None:
    assert (
        said("import_lazily('wave')\nimport wave, wave as other\nprint('struct' in sys.modules)") == "False"
    )


def test_it_is_there_when_something_of_it_is_asked_for() -> None:
    text = "import_lazily('wave')\nimport wave\nprint(wave.open.__module__, wave.__spec__.name, sys.modules['wave'] is wave)"
    assert said(text) == "wave wave True"
    assert said("import_lazily('wave')\nfrom wave import Error\nprint(Error.__name__)") == "Error"


def test_what_it_does_not_have_is_missing_as_ever() -> None:
    assert (
        said("import_lazily('wave')\nimport wave\nprint(hasattr(wave, 'nothing'), hasattr(wave, 'open'))")
        == "False True"
    )


def test_parts_of_packages_can_be_import_lazily() -> None:
    text = "import xml\nimport_lazily('xml.sax')\nfrom xml import sax\nimport xml.sax\nprint('xml.sax.handler' in sys.modules)\n"
    assert said(text + "print(sax.SAXException.__name__, xml.sax is sax)") == "False\nSAXException True"


def test_what_is_there_or_nowhere_stays_as_it_is() -> None:
    assert said("import wave\nimport_lazily('wave')\nprint(type(wave).__name__)") == "module"
    assert said("import_lazily('no_such_module')\nprint('no_such_module' in sys.modules)") == "False"


def test_threads_that_ask_at_the_same_time_find_all_of_it(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import time\nfirst = 1\ntime.sleep(0.3)\nsecond = 2\n", encoding="utf-8"
    )
    text = (
        f"sys.path.append({str(tmp_path)!r})\nimport_lazily('slow')\nimport slow, threading, time\n"
        "def ask(name):\n  sys.stdout.write(str(getattr(slow, name)) + ' ')\n"
        "for name in ('second', 'first', 'second'):\n"
        "  threading.Thread(target=ask, args=[name]).start()\n  time.sleep(0.05)\n"
    )
    assert sorted(said(text).split()) == ["1", "2", "2"]


def test_a_module_may_look_at_itself_while_it_is_imported(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "import sys\nfirst = 1\nme = sys.modules[__name__]\nseen = me.first, hasattr(me, 'last')\nlast = 2\n",
        encoding="utf-8",
    )
    assert (
        said(f"sys.path.append({str(tmp_path)!r})\nimport_lazily('own')\nimport own\nprint(own.seen)")
        == "(1, False)"
    )
