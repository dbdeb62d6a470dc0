"""Folding ranges."""

from tests.behaviour.reading_harness import folds

SUITE = """\
# One.
# Two.
name: notes
skill: notes
graders:
  - type: text
    name: one
    config:
      contains:
        - a
        - b
  - {type: text,
     name: two
    }
# Only one.
tasks:
- id: t1
  inputs:
    prompt: |
      # no comment
      # but text

  name: x
"""


def test_blocks_items_comments_and_texts() -> None:
    assert folds(SUITE) == [
        (0, 1),  # the comment
        (4, 12),  # graders
        (5, 10),  # the first one
        (7, 10),  # its config
        (8, 10),  # contains
        (11, 12),  # the second one, without its closing line
        (15, 22),  # tasks
        (16, 22),  # its item
        (17, 20),  # inputs
        (18, 20),  # prompt
    ]


def test_windows_line_ends_change_nothing() -> None:
    assert folds(SUITE.replace("\n", "\r\n")) == folds(SUITE)


def test_a_broken_item_leaves_the_others() -> None:
    broken = SUITE.replace("    name: one\n", '    name: "one\n')
    assert (15, 22) in folds(broken)
    assert (18, 20) in folds(broken)


def test_a_file_that_is_no_eval_has_none() -> None:
    assert folds("on:\n  push:\n    a: b\n", "ci.yaml") == []
