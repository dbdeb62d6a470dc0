"""Every situation of hover and navigation over the wire, for every kind of file and layout."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.behaviour.harness import CURSOR
from tests.behaviour.layouts import LAYOUTS, Written, laid_out
from tests.behaviour.situations import KINDS, Kind
from tests.behaviour.wire import FULL, Editor

FORMATS = {
    "textDocument": {
        **FULL["textDocument"],
        "formatting": {"dynamicRegistration": True},
        "rangeFormatting": {"dynamicRegistration": True},
        "onTypeFormatting": {"dynamicRegistration": True},
    }
}
GRADED = [it for it in KINDS if it.skeleton == "type: text"]


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    root = tmp_path_factory.mktemp("workspace")
    (root / "tasks").mkdir()
    (root / "eval.yaml").write_text("name: demo\nskill: notes\ntasks: [tasks/*.yaml]\n", encoding="utf-8")
    with Editor(root, FORMATS) as opened:
        yield opened


layouts = pytest.mark.parametrize("layout", LAYOUTS, ids=str)
kinds = pytest.mark.parametrize("kind", KINDS, ids=lambda it: it.file)
graded = pytest.mark.parametrize("kind", GRADED, ids=lambda it: it.file)


def hovered(editor: Editor, kind: Kind, document: str, layout: Written) -> str:
    """Return the hover text at the mark, or an empty string."""
    before, _, after = laid_out(document, layout).partition(CURSOR)
    uri = editor.open(kind.file, before + after)
    column = len(before.rpartition("\n")[2].encode("utf-16-le")) // 2
    found = editor.at("hover", uri, before.count("\n"), column)
    editor.close(uri)
    if found is None:
        return ""
    span = found["range"]
    assert span["start"]["line"] == before.count("\n")
    # Behind the colon of a key without value, the key itself is marked.
    is_behind = before.rstrip(" ").endswith(":")
    assert span["start"]["character"] <= column <= span["end"]["character"] + 2 * is_behind
    text: str = found["contents"]["value"]
    return text


@layouts
@kinds
def test_h1_a_key(kind: Kind, layout: Written, editor: Editor) -> None:
    key = kind.root.partition(":")[0]
    document = kind.root.replace(key, f"{key[:2]}{CURSOR}{key[2:]}", 1)
    text = hovered(editor, kind, document, layout)
    assert text.startswith(f"**{key}** · ")
    assert ("required" in text.split("\n")[0]) == kind.is_required


@layouts
@kinds
def test_h2_an_optional_key_is_told_once(kind: Kind, layout: Written, editor: Editor) -> None:
    key = kind.missing
    text = hovered(editor, kind, f"{kind.root}\n{key[:2]}{CURSOR}{key[2:]}: \n", layout)
    assert text.count(f"**{key}**") == 1
    assert "null" not in text
    assert "required" not in text.split("\n")[0]


@layouts
@kinds
def test_h3_a_value_of_several(kind: Kind, layout: Written, editor: Editor) -> None:
    if not kind.values or kind.values[0] in {"true", "false"}:
        return
    lines = "\n".join([kind.root, *kind.choice])
    for value in kind.values[:2]:
        text = hovered(editor, kind, f"{lines} {value[:2]}{CURSOR}{value[2:]}\n", layout)
        assert text.startswith(f"**{kind.choice[-1].strip(' -:')}: {value}**\n\n")
        assert "Other values: " in text
        assert value not in text.partition("Other values: ")[2].split(", ")


@layouts
@graded
def test_h4_the_type_of_a_grader(kind: Kind, layout: Written, editor: Editor) -> None:
    text = hovered(editor, kind, f"{kind.root}\ngraders:\n  - type: te{CURSOR}xt\n    name: a\n", layout)
    for part in ("**type: text**", "**Score:**", "`contains`", "`regex_match`", "Grading is free"):
        assert part in text


@layouts
@graded
def test_h5_the_config_of_a_type(kind: Kind, layout: Written, editor: Editor) -> None:
    for name, key, foreign in [("text", "contains", "must_exist"), ("file", "must_exist", "`contains`")]:
        start = (
            f"{kind.root}\ngraders:\n  - name: a\n    con{CURSOR}fig:\n      {key}: [x]\n    type: {name}\n"
        )
        text = hovered(editor, kind, start, layout)
        assert text.count("**config**") == 1
        assert f"`{key}`" in text
        assert foreign not in text


@layouts
@kinds
def test_h6_a_key_without_value(kind: Kind, layout: Written, editor: Editor) -> None:
    for before in (f"{kind.missing[:2]}{CURSOR}{kind.missing[2:]}:", f"{kind.missing}:{CURSOR}"):
        assert hovered(editor, kind, f"{kind.root}\n{before}\n", layout).startswith(f"**{kind.missing}**")


@layouts
@kinds
def test_h7_an_unknown_key(kind: Kind, layout: Written, editor: Editor) -> None:
    assert hovered(editor, kind, f"{kind.root}\n{kind.missing}: x\nnev{CURSOR}er_heard: 1\n", layout) == ""


@layouts
@kinds
def test_h8_comments_and_blank_lines(kind: Kind, layout: Written, editor: Editor) -> None:
    for before in (f"{kind.root}\n# a com{CURSOR}ment\n", f"{kind.root} # a com{CURSOR}ment\n"):
        assert hovered(editor, kind, before, layout) == ""
    assert hovered(editor, kind, f"{kind.root}\n{CURSOR}\n# more\n", layout) == ""


@layouts
@kinds
def test_h9_an_alias(kind: Kind, layout: Written, editor: Editor) -> None:
    document = f"{kind.root}\n{kind.missing}: &base told here\n{kind.other}: *ba{CURSOR}se\n"
    if kind.other == kind.missing:
        return
    text = hovered(editor, kind, document, layout)
    assert "told here" in text
    assert f"**{kind.other}**" in text


@layouts
@kinds
def test_h10_elsewhere_the_file_is_broken(kind: Kind, layout: Written, editor: Editor) -> None:
    key = kind.root.partition(":")[0]
    whole = kind.root.replace(key, f"{key[:2]}{CURSOR}{key[2:]}", 1)
    told = hovered(editor, kind, whole, layout)
    for broken in ("x: [a, b\n", 'x: "open\n', "x: {a: b\n", "\tx: y\n", "x: *nope\n"):
        assert hovered(editor, kind, f"{whole}\n{kind.missing}: x\n{broken}", layout) == told


@layouts
@graded
def test_f4_items_are_called_by_their_names(kind: Kind, layout: Written, editor: Editor) -> None:
    document = (
        f"{kind.root}\ngraders:\n  - type: text\n    name: first\n  - name: second 😀\n    type: file\n"
    )
    uri = editor.open(kind.file, laid_out(document, layout))
    symbols = editor.of("documentSymbol", uri)
    editor.close(uri)
    graders = next(it for it in symbols if it["name"] == "graders")
    assert [(it["name"], it["detail"]) for it in graders["children"]] == [
        ("first", "text"),
        ("second 😀", "file"),
    ]


@layouts
@kinds
def test_f5_f6_formatting(kind: Kind, layout: Written, editor: Editor) -> None:
    options = {"tabSize": layout.step, "insertSpaces": True}
    broken = laid_out(f"{kind.root}   \n# why\nx: [a\n", layout)
    sound = laid_out(f"# why\n{kind.root}   # because\n# more\n", layout)
    for document in (broken, sound):
        uri = editor.open(kind.file, document)
        edits: list[dict[str, Any]] = editor.of("formatting", uri, options=options) or []
        editor.close(uri)
        assert not edits
