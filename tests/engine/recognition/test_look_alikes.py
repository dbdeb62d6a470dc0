"""Files of other tools under names and keys like ours: none is taken for one of ours.

`look_alikes.txt` holds what tells them apart: for each the tool, the path, and a file cut down to its shape.
"""

from pathlib import Path, PurePath

from tests.each import check_each
from waza_engine.lib.yaml.reader import read_yaml
from waza_engine.recognition.recognise import recognise

FILES = [
    (*it.partition("\n")[0].split(" ", 1), it.partition("\n")[2])
    for it in Path(__file__).with_name("look_alikes.txt").read_text("utf-8").split("=== ")[1:]
]


def test_there_are_many() -> None:
    assert len(FILES) > 200
    assert len({title for title, _, _ in FILES}) == len(FILES)


def test_files_of_other_tools_are_left_alone() -> None:
    def check(file: tuple[str, str]) -> None:
        path, text = file
        data = read_yaml(text)
        keys = data if isinstance(data, dict) else None
        assert recognise(keys, PurePath(path)) is None

    check_each(((title, (path, text)) for title, path, text in FILES), check)
