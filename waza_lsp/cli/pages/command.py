"""`waza-lsp rule` and `waza-lsp grader`: show a page in the terminal."""

import json
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from waza_engine.lib.spelling import nearest
from waza_engine.recognition.dialect import Dialect
from waza_engine.recognition.recognise import dialects_by_preference
from waza_lsp.cli.completion import values
from waza_lsp.cli.console import may_colour
from waza_lsp.cli.pages.manual import RULES, Entry, address, entries, page
from waza_lsp.cli.pages.render import render

_WIDTH = 80
_FORMATS = ("text", "markdown", "json")
_FORMAT = click.option(
    "--format", "form", type=click.Choice(_FORMATS), default="text", show_default=True, help="Output format."
)


@click.command()
@click.argument("code", required=False, metavar="[CODE]", shell_complete=values.codes)
@_FORMAT
def rule(code: str | None, form: str) -> None:
    """Show the page of the finding CODE: what it means, why it matters, an example. Without CODE, list all codes.

    The page says the usual level, the level in the project of the working directory, and whether 'check --fix' repairs
    the finding.

    \b
    Examples:
      waza-lsp rule
      waza-lsp rule unknown-key
      waza-lsp rule cannot-fail --format markdown
    """
    known = entries(RULES)
    if code is None:
        _show_list(known, form, lambda it: _rule_row(it, known), _rule_data)
        return
    found = next((it for it in known if it.name == code), None)
    if found is None:
        types = {it.name for dialect in dialects_by_preference() for it in entries(_folder(dialect))}
        raise _unknown(code, "finding", [it.name for it in known], "rule", "grader" if code in types else "")
    path = f"{RULES}{code}"
    if form == "json":
        _print(json.dumps({**_rule_data(found), "page": page(path)}, indent=2, ensure_ascii=False))
        return
    _show_page(path, form, [*_level_here(code), f"Web page: {address(path)}"])


def _rule_row(entry: Entry, known: Sequence[Entry]) -> str:
    level, fix, title = entry.cells
    return f"{entry.name:{_widest(known)}}  {_SHORT.get(level, level):5} {_MARK if fix else '   '} {title}"


_SHORT = {"information": "info", "warning": "warn"}
"""Levels in the list, which has to fit 80 columns."""
_MARK = "[*]"


def _rule_data(entry: Entry) -> dict[str, object]:
    level, fix, title = entry.cells
    return {
        "code": entry.name,
        "level": level,
        "fixable": bool(fix),
        "title": title,
        "url": address(f"{RULES}{entry.name}"),
    }


def _level_here(code: str) -> list[str]:
    """Return a line about the level that the project sets, and one about how to change it."""
    # Imported late: `--help` does without.

    # Imported late: `--help` does without.
    from waza_engine.project.settings import Projects

    settings = Projects().of(Path.cwd())
    lines = []
    if code in settings.rules and settings.path is not None:
        level = settings.rules[code]
        lines.append(f"In this project: `{level or 'off'}` (set in {settings.path.name}).")
    lines.append(
        f'To change the level, write `{code} = "off"` (or error, warning, information, hint) below `[rules]` in '
        f".waza-lsp.toml. To allow one place, add the comment `# waza-lsp: ignore[{code}]` to its line."
    )
    return lines


@click.command()
@click.argument("type_name", required=False, metavar="[TYPE]", shell_complete=values.grader_types)
@click.option(
    "--dialect",
    "dialect_name",
    type=click.Choice([it.name for it in dialects_by_preference()]),
    help="Only the types of this dialect.",
)
@_FORMAT
def grader(type_name: str | None, dialect_name: str | None, form: str) -> None:
    """Show the page of the grader TYPE: what it looks at, its score, options, an example. Without TYPE, list all types.

    \b
    Examples:
      waza-lsp grader
      waza-lsp grader tool_calls
      waza-lsp grader prompt --dialect vally
    """
    listed = [it for it in dialects_by_preference() if dialect_name in {None, it.name}]
    known = {it.name: entries(_folder(it)) for it in listed}
    if type_name is None:
        everything = [it for rows in known.values() for it in rows]
        names = {id(it): name for name, rows in known.items() for it in rows}
        width = _widest(everything)
        _show_list(
            everything,
            form,
            lambda it: f"{names[id(it)]:5}  {it.name:{width}}  {_summary(it)}",
            lambda it: _grader_data(it, names[id(it)]),
        )
        return
    homes = [it for it in listed if any(row.name == type_name for row in known[it.name])]
    if not homes:
        names_of_types = sorted({row.name for rows in known.values() for row in rows})
        is_rule = any(it.name == type_name for it in entries(RULES))
        raise _unknown(type_name, "grader type", names_of_types, "grader", "rule" if is_rule else "")
    home, *others = homes
    path = f"{_folder(home)}{type_name}"
    if form == "json":
        found = next(it for it in known[home.name] if it.name == type_name)
        _print(
            json.dumps({**_grader_data(found, home.name), "page": page(path)}, indent=2, ensure_ascii=False)
        )
        return
    _show_page(
        path,
        form,
        [
            *(
                f"In evals of {it.name}, the type has another meaning: `waza-lsp grader {type_name} --dialect {it.name}`"
                for it in others
            ),
            f"Web page: {address(path)}",
        ],
    )


def _folder(dialect: Dialect) -> str:
    return f"graders/{dialect.schema_folder}"


def _summary(entry: Entry) -> str:
    return entry.cells[-1].replace("*", "")


def _grader_data(entry: Entry, dialect_name: str) -> dict[str, object]:
    from waza_engine.recognition.recognise import dialect

    path = f"{_folder(dialect(dialect_name))}{entry.name}"
    return {
        "type": entry.name,
        "dialect": dialect_name,
        "summary": _summary(entry).removesuffix(" (old)"),
        "old": _summary(entry).endswith("(old)"),
        "url": address(path),
    }


def _unknown(name: str, what: str, known: Sequence[str], command: str, other: str) -> click.UsageError:
    """Return the error for a name without a page, with what was probably meant."""
    if other:
        return click.UsageError(f"'{name}' is not a {what}. See: waza-lsp {other} {name}")
    close = nearest(name, known)
    quoted = " or ".join(f"'{it}'" for it in close)
    guess = f" Did you mean {quoted}?" if close else ""
    return click.UsageError(f"No {what} is named '{name}'.{guess} List all names with: waza-lsp {command}")


def _widest(known: Sequence[Entry]) -> int:
    return max((len(it.name) for it in known), default=0)


def _show_list(
    known: Sequence[Entry],
    form: str,
    row: Callable[[Entry], str],
    data: Callable[[Entry], dict[str, object]],
) -> None:
    if form == "json":
        _print(json.dumps([data(it) for it in known], indent=2, ensure_ascii=False))
    elif form == "markdown":
        _print("\n".join(f"- [{it.name}]({data(it)['url']}): {it.cells[-1]}" for it in known))
    else:
        _print("\n".join(_one_line(row(it).rstrip()) for it in known))


def _one_line(row: str) -> str:
    """Return the row, cut on a terminal that is too narrow for it."""
    width = shutil.get_terminal_size((_WIDTH, 0)).columns if sys.stdout.isatty() else len(row)
    return row if len(row) <= width else f"{row[: width - 1].rstrip()}…"


def _show_page(path: str, form: str, facts: Sequence[str]) -> None:
    """Print a page; for a terminal also the facts, which are not on the page."""
    text = page(path) or ""
    if form == "markdown":
        _print(text.rstrip("\n"))
        return
    width = min(_WIDTH, shutil.get_terminal_size((_WIDTH, 0)).columns)
    whole = text.rstrip("\n") + "\n\n## More\n" + "\n\n".join(facts)
    _print(render(whole, width=width, colour=may_colour(sys.stdout)))


def _print(text: str) -> None:
    click.echo(text)
