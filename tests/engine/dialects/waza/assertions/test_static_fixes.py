"""Other ways to write a Python assertion that fails."""

import pytest

from waza_engine.dialects.waza.assertions.static import expand_generator, translate_to_python


@pytest.mark.parametrize(
    ("assertion", "mended"),
    [
        ("'a' in output && 'b' in output", "'a' in output and 'b' in output"),
        ("len(output) > 3 || errors", "len(output) > 3 or errors"),
        ("outcome.ok === true", "outcome.ok == True"),
        ("output !== null", "output != None"),
        ("output = 'done'", "output == 'done'"),
        ("output.length >", None),
        ("import re", None),
        ("len(output) > 3", None),
        ("output == 'true'", None),
        ("output.length === 1", None),
        ('"a && b" in output && len(output) > 3', '"a && b" in output and len(output) > 3'),
        (
            "'it is null' in output && 'x  and  y' in output",
            "'it is null' in output and 'x  and  y' in output",
        ),
        (r"'\' || ' in output || errors", r"'\' || ' in output or errors"),
        ('"""a " && b""" in output', None),
        ("'x => y' in output && errors", "'x => y' in output and errors"),
    ],
)
def test_operators_of_other_languages(assertion: str, mended: str | None) -> None:
    assert translate_to_python(assertion) == mended


@pytest.mark.parametrize(
    ("assertion", "mended"),
    [
        ("any(it in output for it in ['a', 'b'])", "'a' in output or 'b' in output"),
        ("all(it in output.lower() for it in ('a', 'b'))", "'a' in output.lower() and 'b' in output.lower()"),
        ("any(it in output or it in str(errors) for it in ['a'])", "('a' in output or 'a' in str(errors))"),
        ("any(it in output for it in tool_calls)", None),
        ("any(it in output for it in ['a'] if it)", None),
        ("any([it in output for it in ['a']])", None),
        ("len(", None),
    ],
)
def test_generators_over_a_list_are_written_out(assertion: str, mended: str | None) -> None:
    assert expand_generator(assertion) == mended
