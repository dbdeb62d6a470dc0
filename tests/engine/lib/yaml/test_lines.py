"""The lines of values in a YAML text."""

import pytest

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.lines import YamlLines

TEXT = """\
graders:
  - type: a   # first
    config:
      text: |
        one

        # two

  # About the second.
  - {type: b,
     config: {}}
  - &c
    type: c
  - type: d
    config: *c

expected:
  output_contains: [x,
    y]
  # The end.
"""


@pytest.mark.parametrize(
    ("pointer", "expected"),
    [
        (("graders", 0), range(2, 8)),
        (("graders", 0, "config", "text"), range(4, 8)),
        (("graders", 1), range(10, 12)),
        (("graders", 2), range(12, 14)),
        (("graders", 3), range(14, 16)),
        (("graders",), range(1, 16)),
        (("expected", "output_contains"), range(18, 20)),
        (("expected",), range(17, 20)),
        (("graders", 4), range(0)),
        (("gone", "config"), range(0)),
    ],
)
def test_the_block_of_a_value(pointer: Pointer, expected: range) -> None:
    lines = TEXT.splitlines()
    for text in (TEXT, TEXT.replace("\n", "\r\n"), TEXT.rstrip(), "\ufeff" + TEXT):
        assert YamlLines.of(text).block(pointer) == [(it, lines[it - 1]) for it in expected]


def test_an_invalid_text_has_no_blocks() -> None:
    assert YamlLines.of("a: [").block(("a",)) == []
    assert YamlLines.of("").block(()) == []
