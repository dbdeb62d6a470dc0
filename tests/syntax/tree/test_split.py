"""The comment in which a file names its schema."""

import pytest

from waza_lsp.syntax.tree.split import schema_address

URL = "https://raw.githubusercontent.com/microsoft/waza/main/schemas/task.schema.json"


@pytest.mark.parametrize(
    "text",
    [
        f"# yaml-language-server: $schema={URL}\nid: a\n",
        f"#yaml-language-server:$schema = {URL}\n",
        f"---\n\n# A task\n# yaml-language-server: $schema={URL} # pinned\nid: a\n",
    ],
)
def test_a_url(text: str) -> None:
    assert schema_address(text.splitlines(keepends=True)) == URL


def test_a_path() -> None:
    lines = ["# yaml-language-server: $schema=../schemas/task.schema.json\n", "id: a\n"]
    assert schema_address(lines) == "../schemas/task.schema.json"


@pytest.mark.parametrize(
    "text",
    [
        "id: a\n",
        f"id: a\n# yaml-language-server: $schema={URL}\n",
        f"# $schema={URL}\n",
        "",
    ],
)
def test_no_schema_named(text: str) -> None:
    assert schema_address(text.splitlines(keepends=True)) == ""
