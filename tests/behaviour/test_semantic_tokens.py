"""Semantic tokens."""

from lsprotocol import types

from tests.behaviour.layout_harness import coloured


def test_types_names_and_values() -> None:
    assert coloured(
        """
        skill: note-taker
        config:
          executor: mock
          parallel: true
        graders:
          - type: text
            name: "greets"
            config:
              contains: [hello]
        """
    ) == [
        ("note-taker", "variable"),
        ("mock", "enumMember"),
        ("text", "class"),
        ("greets", "variable declaration"),
    ]


def test_an_old_type_is_deprecated() -> None:
    assert coloured("skill: x\ngraders:\n  - type: keyword\n")[1:] == [("keyword", "class deprecated")]


def test_a_type_that_nobody_knows_has_no_colour() -> None:
    assert coloured("skill: x\ngraders:\n  - type: txet\n") == [("x", "variable")]


def test_python_in_assertions() -> None:
    found = coloured(
        """
        graders:
          - type: code
            config:
              assertions:
                - len(output) > 10 and 'it''s' in output.lower()
        """
    )
    assert found[1:] == [
        ("len", "function"),
        ("output", "variable"),
        (">", "operator"),
        ("10", "number"),
        ("and", "keyword"),
        ("'it'", "string"),
        ("'s'", "string"),
        ("in", "keyword"),
        ("output", "variable"),
        ("lower", "function"),
    ]


def test_javascript_when_the_grader_says_so() -> None:
    found = coloured(
        """
        graders:
          - type: code
            config:
              language: javascript
              assertions: ["errors.length === 0 && typeof output"]
        """
    )
    assert found[1:] == [
        ("javascript", "enumMember"),
        ("errors", "variable"),
        ("length", "property"),
        ("===", "operator"),
        ("0", "number"),
        ("&&", "operator"),
        ("typeof", "keyword"),
        ("output", "variable"),
    ]


def test_patterns() -> None:
    found = coloured(
        r"""
        graders:
          - type: text
            config:
              regex_match:
                - (?i)^done[.!]+ \d{2,3}|x$
        """
    )
    assert found[1:] == [
        ("(?i)", "keyword"),
        ("^", "operator"),
        ("[.!]", "regexp"),
        ("+", "operator"),
        (r"\d", "regexp"),
        ("{2,3}", "operator"),
        ("|", "operator"),
        ("$", "operator"),
    ]


def test_escapes_of_quotes_are_no_part_of_a_pattern() -> None:
    found = coloured(
        r"""
        graders:
          - type: text
            config: {regex_match: ["\\d+\u00e9?", 'it''s [a-z]']}
        """
    )
    assert found[1:] == [
        (r"\\d", "regexp"),
        ("+", "operator"),
        ("?", "operator"),
        ("[a-z]", "regexp"),
    ]


def test_code_in_texts_of_several_lines() -> None:
    found = coloured(
        """
        graders:
          - type: code
            config:
              assertions:
                - |
                  any(it
                    for it in output)
        """
    )
    assert [text for text, _ in found[1:]] == ["any", "it", "for", "it", "in", "output"]


def test_characters_outside_the_basic_plane() -> None:
    found = coloured('graders:\n  - {name: "😀😀", type: text, config: {regex_match: ["😀.", x+]}}\n')
    assert found == [
        ("😀😀", "variable declaration"),
        ("text", "class"),
        (".", "regexp"),
        ("+", "operator"),
    ]


def test_a_range_leaves_the_rest_out() -> None:
    items = "".join(f"  - type: text\n    name: g{it}\n" for it in range(50))
    span = types.Range(types.Position(21, 0), types.Position(24, 0))
    found = coloured(f"skill: x\ngraders:\n{items}", span=span)
    assert [text for text, kind in found if kind != "class"] == ["g9", "g10", "g11"]


def test_a_file_that_is_no_eval_has_no_colours() -> None:
    assert coloured("type: text\non: push\njobs: {}\n", "ci.yaml") == []
