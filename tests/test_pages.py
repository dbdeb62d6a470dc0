"""Pages, manifests and code agree: links and citations lead somewhere, modules exist, there is one version."""

import ast
import functools
import io
import json
import re
import tokenize
from pathlib import Path

from waza_engine.version import __version__

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")]
PAGES += (ROOT / "editor-client").glob("*/README.md")
_CODE = [ROOT, ROOT / "engine", ROOT / "waza_lsp", ROOT / "engine" / "waza_engine"]
_MODULE = re.compile(r"`([a-z_]+/[\w/]+\.py)`")
_NUMBERS = r"\d+(?:\.\d+)*(?:(?:, | and | to )\d+(?:\.\d+)*)*"
_PAGE = re.compile(r"[\w./*<>-]*\.md\b")
_CITATION = re.compile(
    rf"(docs/[\w./-]+\.md)(?:,? (?:sections? )?({_NUMBERS})(?:, rows? ({_NUMBERS}))?"
    rf"(?:; section ({_NUMBERS})(?:, rows? ({_NUMBERS}))?)?)?"
)
_FILES_OF_USERS = {"SKILL.md", "README.md", "report.md", "first.md", "<name>.agent.md"}
"""Names of Markdown files that code speaks of without citing a page."""
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")


def test_links_between_pages_lead_somewhere() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {target}#{heading}"
        for page in PAGES
        for target, heading in _LINK.findall(page.read_text(encoding="utf-8"))
        if not _leads_somewhere(page, target, heading)
    ]
    assert not broken


def test_modules_on_pages_exist() -> None:
    # Pages for contributors name those that they tell how to add.
    named = [
        (page, it)
        for page in PAGES
        if page.parent.name != "contributing"
        for it in _MODULE.findall(page.read_text(encoding="utf-8"))
    ]
    assert len(named) > 40
    assert [
        f"{page.relative_to(ROOT)}: {it}" for page, it in named if not any((at / it).exists() for at in _CODE)
    ] == []


def test_pages_that_code_cites_exist() -> None:
    # A rule's docstring is its page in docs/rules, and links from there.
    cited = [
        (where, page)
        for where, text in _comments_and_docstrings()
        for page in _PAGE.findall(text.replace("](../", "](docs/"))
        if "*" not in page
    ]
    assert len(cited) > 250
    assert [
        f"{where}: {page}"
        for where, page in cited
        if page.rpartition("/")[2] not in _FILES_OF_USERS
        and not (page.startswith("docs/") and (ROOT / page).exists())
    ] == []


def test_sections_that_code_cites_exist() -> None:
    cited = [
        (where, page, number)
        for where, text in _comments_and_docstrings()
        for page, *numbers in _CITATION.findall(text)
        for number in _cited_parts(*numbers)
    ]
    assert len(cited) > 250
    parts = {page: sections_of(ROOT / page) for page in {it[1] for it in cited} if (ROOT / page).exists()}
    assert [
        f"{where}: {page} has no {number}"
        for where, page, number in cited
        if number not in parts.get(page, ())
    ] == []


@functools.cache
def _comments_and_docstrings() -> list[tuple[str, str]]:
    """The prose of Python files that name a page, each piece on one line; the lines of one comment are one piece."""
    found = []
    for path in [
        *(ROOT / "engine").rglob("*.py"),
        *(ROOT / "waza_lsp").rglob("*.py"),
        *(ROOT / "tests").rglob("*.py"),
    ]:
        where, source = str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
        if ".md" not in source:
            continue
        found += [
            (where, " ".join(str(node.value.value).split()))
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        ]
        comment = ""
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                comment += " " + token.string.lstrip("# ")
            elif comment and token.type != tokenize.NL:
                found.append((where, comment))
                comment = ""
    return found


def _cited_parts(sections: str, rows: str, more: str, rows_of_more: str) -> list[str]:
    """Sections by number, rows of the table in section 20 as `row N`."""
    numbers = re.findall(r"\d[\d.]*", f"{sections} {more}")
    return numbers + [f"row {it}" for it in re.findall(r"\d+", f"{rows} {rows_of_more}")]


def sections_of(page: Path) -> set[str]:
    """The numbers of the headings, `N.M` for item M of a numbered list in section N, `row N` for rows of a table."""
    found, section = set(), ""
    for line in page.read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"#+ (\d+(?:\.\d+)*)", line):
            section = heading[1]
            # One heading may stand for two sections: "7.9 `llm` and 7.10 `llm_comparison`".
            found |= {it.rstrip(".") for it in re.findall(r"(?:^#+ |, |and )(\d+(?:\.\d+)*)\b", line)}
        elif item := re.match(r"(\d+)\. ", line):
            found.add(f"{section}.{item[1]}")
        elif row := re.match(r"\| (\d+) \|", line):
            found.add(f"row {row[1]}")
    return found


def _leads_somewhere(page: Path, target: str, heading: str) -> bool:
    path = (page.parent / target).resolve() if target else page
    if not path.exists() or not heading:
        return path.exists()
    text = path.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return f'<a id="{heading}"></a>' in text or heading in {
        re.sub(r"[^\w\- ]", "", it.lower()).replace(" ", "-") for it in headings
    }


def test_every_page_is_in_the_navigation_of_the_site() -> None:
    text = (ROOT / "website/mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    patterns = re.findall(r"[ '\"]([\w*/-]+\.md)\b", text)
    listed = {page for it in patterns for page in (ROOT / "docs").glob(it)}
    assert all(list((ROOT / "docs").glob(it)) for it in patterns)
    assert set((ROOT / "docs").rglob("*.md")) == listed, "list the page in website/mkdocs.yml"


def test_numbers_of_cases_on_the_page_of_comparison_are_current() -> None:
    page = (ROOT / "docs/compare.md").read_text(encoding="utf-8")
    found = {
        path.stem: json.loads(path.read_text("utf-8")) for path in (ROOT / "tests/conformance").glob("*.json")
    }
    waza = found["waza-grader-vectors"]["vectors"]
    patterns = sum(len(found[it]["cases"]) for it in ("regexp-cases", "javascript-regexp-cases"))
    measured = sum(it["basis"] == "measured" for it in waza)
    for row in (
        f"| waza's graders | {len(waza)} | {measured} measured",
        f"| vally's graders | {len(found['vally-grader-vectors']['vectors'])} |",
        f"| patterns | {patterns:,} |",
        f"| globs | {len(found['go-glob-cases']['cases'])} |",
    ):
        assert row in page


def test_one_version_stands_everywhere() -> None:
    extension = ROOT / "editor-client/vscode"
    lock = json.loads((extension / "package-lock.json").read_text(encoding="utf-8"))
    capabilities = json.loads(
        (ROOT / "waza_lsp/server/startup/capabilities.json").read_text(encoding="utf-8")
    )
    stated = {
        "package.json": json.loads((extension / "package.json").read_text(encoding="utf-8"))["version"],
        "package-lock.json": lock["version"],
        "package-lock.json, packages": lock["packages"][""]["version"],
        "capabilities.json": capabilities["serverInfo"]["version"],
        "mason-package.yaml": _found(r"waza-lsp@([\d.]+)", "editor-client/neovim/mason-package.yaml"),
        "zed": _found(r'^version = "([\d.]+)"', "editor-client/zed/extension.toml"),
        "zed, Cargo.toml": _found(r'^version = "([\d.]+)"', "editor-client/zed/Cargo.toml"),
        "guide.md": _found(r"waza-lsp-([\d.]+)\.vsix", "docs/guide.md"),
        "check.md": _found(r"rev: v([\d.]+)", "docs/check.md"),
        "CHANGELOG.md": _found(r"^## \[([\d.]+)\]", "CHANGELOG.md"),
    }
    assert stated == dict.fromkeys(stated, __version__)


def _found(pattern: str, page: str) -> str:
    found = re.search(pattern, (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else "not there"
