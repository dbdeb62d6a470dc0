"""The findings of `waza-lsp check` as SARIF 2.1.0, for code scanning."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from waza_engine.addresses import HOME, rule_page
from waza_engine.findings import Rule, Severity
from waza_engine.version import __version__
from waza_lsp.cli.check_report import CheckedFile, Reported
from waza_lsp.features.diagnostics import SOURCE
from waza_lsp.syntax.text import Span

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "note",
    Severity.HINT: "note",
}


def as_sarif(files: Sequence[CheckedFile]) -> str:
    """One run. Lines and columns count from one, columns in code points; paths are relative to the working directory."""
    rules = sorted({it.finding.rule for file in files for it in file.found}, key=lambda it: it.code)
    index = {it.code: position for position, it in enumerate(rules)}
    driver = {
        "name": SOURCE,
        "version": __version__,
        "informationUri": HOME,
        "rules": [_rule(it) for it in rules],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"uri": Path.cwd().as_uri().rstrip("/") + "/"}},
        "artifacts": [{"location": _artifact(it.name)} for it in files],
        "results": [_result(file, it, index[it.finding.code]) for file in files for it in file.found],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "shortDescription": {"text": rule.title[:1].upper() + rule.title[1:]},
        "helpUri": rule_page(rule.code),
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(file: CheckedFile, it: Reported, rule_index: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": it.finding.code,
        "ruleIndex": rule_index,
        "level": _LEVELS[it.finding.severity],
        "message": {"text": it.finding.message},
        "locations": [_location(file.name, it.span)],
    }
    if it.related:
        result["relatedLocations"] = [
            {**_location(file.name, span), "message": {"text": text}} for span, text in it.related
        ]
    return result


def _location(name: str, span: Span) -> dict[str, Any]:
    (first, start), (last, end) = span
    region = {
        "startLine": first + 1,
        "startColumn": start + 1,
        "endLine": last + 1,
        "endColumn": end + 1,
    }
    return {"physicalLocation": {"artifactLocation": _artifact(name), "region": region}}


def _artifact(name: str) -> dict[str, str]:
    path = Path(name)
    if path.is_absolute():
        if not path.is_relative_to(Path.cwd()):
            return {"uri": path.as_uri()}
        path = path.relative_to(Path.cwd())
    return {"uri": quote(path.as_posix(), errors="surrogateescape"), "uriBaseId": _ROOT}
