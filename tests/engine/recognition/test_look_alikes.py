"""Files of other tools under names and keys like ours: none is taken for one of ours.

`look_alikes.txt` holds what tells them apart: for each the tool, the path, and a file cut down to its shape.
"""

from pathlib import Path, PurePath

import pytest

from waza_engine.lib.yaml.reader import read_yaml
from waza_engine.recognition.recognise import recognise

FILES = [
    (*it.partition("\n")[0].split(" ", 1), it.partition("\n")[2])
    for it in Path(__file__).with_name("look_alikes.txt").read_text("utf-8").split("=== ")[1:]
]


def test_there_are_many() -> None:
    assert len(FILES) > 200
    assert len({title for title, _, _ in FILES}) == len(FILES)


@pytest.mark.parametrize(("path", "text"), [it[1:] for it in FILES], ids=[it[0] for it in FILES])
def test_a_file_of_another_tool_is_left_alone(path: str, text: str) -> None:
    data = read_yaml(text)
    keys = data if isinstance(data, dict) else None
    assert recognise(keys, PurePath(path)) is None
