"""The ways through a schema to the values that a request looks for."""

from typing import Any

from waza_lsp.schema.visitor import schema_paths, visit
from waza_lsp.syntax.text import split_lines
from waza_lsp.syntax.tree.tree import Tree

SCHEMA: dict[str, Any] = {
    "properties": {
        "plain": {"type": "string"},
        "direct": {"x-wanted": 1},
        "many": {"items": {"$ref": "#/$defs/Thing"}},
        "free": {"additionalProperties": {"x-wanted": 1}},
        "either": {"anyOf": [{"type": "string", "x-wanted": 1}, {"properties": {"deep": {"x-wanted": 1}}}]},
    },
    "$defs": {
        "Thing": {
            "x-discriminator": "type",
            "properties": {"type": {}, "children": {"items": {"$ref": "#/$defs/Thing"}}},
            "allOf": [
                {
                    "if": {"properties": {"type": {"const": "file"}}},
                    "then": {"properties": {"config": {"properties": {"path": {"x-wanted": 1}}}}},
                },
                {"if": {"properties": {"type": {"const": "none"}}}, "then": {"properties": {"config": {}}}},
            ],
        }
    },
}


def _found(source: str, *, into_branches: bool = True) -> list[tuple[object, ...]]:
    start = schema_paths(SCHEMA, lambda schema, _: "x-wanted" in schema, into_branches=into_branches)
    return [(*it.pointer, it.node.source) for it in visit(Tree.of(split_lines(source)), start)]


def test_matching_values_are_found_everywhere() -> None:
    source = "plain: a\ndirect: b\nfree:\n  x: c\n  y: d\neither: e\n"
    assert _found(source) == [("direct", "b"), ("free", "x", "c"), ("free", "y", "d"), ("either", "e")]
    assert _found("either:\n  deep: f\n") == [("either", ""), ("either", "deep", "f")]


def test_a_discriminator_selects_the_path_at_any_position() -> None:
    source = "many:\n  - config: {path: a}\n    type: file\n  - type: none\n    config: {path: b}\n"
    assert _found(source) == [("many", 0, "config", "path", "a")]
    assert _found(source, into_branches=False) == []


def test_definitions_may_hold_themselves() -> None:
    source = "many:\n  - children:\n      - children:\n          - {type: file, config: {path: a}}\n"
    assert _found(source) == [("many", 0, "children", 0, "children", 0, "config", "path", "a")]


def test_a_document_in_braces() -> None:
    assert _found("{direct: b, many: [{type: file, config: {path: a}}]}") == [
        ("direct", "b"),
        ("many", 0, "config", "path", "a"),
    ]
