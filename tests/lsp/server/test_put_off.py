"""Modules that are put off are imported when something of them is looked up, and are themselves then."""

import subprocess
import sys

_HEAD = "import sys\nfrom waza_lsp.server.put_off import put_off\n"


def said(text: str) -> str:
    ended = subprocess.run(
        [sys.executable, "-P", "-c", _HEAD + text], capture_output=True, text=True, check=True
    )
    return ended.stdout.strip()


def test_an_import_alone_does_not_import_it() -> None:
    assert said("put_off('wave')\nimport wave, wave as other\nprint('struct' in sys.modules)") == "False"


def test_it_is_there_when_something_of_it_is_asked_for() -> None:
    text = "put_off('wave')\nimport wave\nprint(wave.open.__module__, wave.__spec__.name, sys.modules['wave'] is wave)"
    assert said(text) == "wave wave True"
    assert said("put_off('wave')\nfrom wave import Error\nprint(Error.__name__)") == "Error"


def test_what_it_does_not_have_is_missing_as_ever() -> None:
    assert (
        said("put_off('wave')\nimport wave\nprint(hasattr(wave, 'nothing'), hasattr(wave, 'open'))")
        == "False True"
    )


def test_parts_of_packages_can_be_put_off() -> None:
    text = "import xml\nput_off('xml.sax')\nfrom xml import sax\nimport xml.sax\nprint('xml.sax.handler' in sys.modules)\n"
    assert said(text + "print(sax.SAXException.__name__, xml.sax is sax)") == "False\nSAXException True"


def test_what_is_there_or_nowhere_stays_as_it_is() -> None:
    assert said("import wave\nput_off('wave')\nprint(type(wave).__name__)") == "module"
    assert said("put_off('no_such_module')\nprint('no_such_module' in sys.modules)") == "False"
