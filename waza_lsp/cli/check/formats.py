"""The findings of `waza-lsp check` as SARIF 2.1.0, for code scanning."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from waza_engine.addresses import HOME, rule_page
from waza_engine.findings import Rule, Severity
from waza_engine.reports.inert import harmless
from waza_engine.reports.xml_text import xml_text
from waza_engine.version import __version__
from waza_lsp.cli.check.report import CheckedFile, Reported
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


def as_junit(files: Sequence[CheckedFile]) -> str:
    """The text of the XML file."""
    root = ET.Element("testsuites", name="waza-lsp check")
    for file in files:
        _add_suite(root, file)
    for name in ("tests", "failures"):
        root.set(name, str(sum(int(it.get(name, "0")) for it in root)))
    root.set("errors", "0")
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode")


def _add_suite(root: ET.Element, file: CheckedFile) -> None:
    name = xml_text(file.name)
    suite = ET.SubElement(root, "testsuite", name=name)
    for it in file.found:
        _add_case(suite, name, it)
    if not file.found:
        ET.SubElement(suite, "testcase", name="no findings", classname=name)
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("errors", "0")


def _add_case(suite: ET.Element, name: str, it: Reported) -> None:
    line, column = it.span.start.line + 1, it.span.start.column + 1
    case = ET.SubElement(suite, "testcase", name=f"{it.finding.code} {line}:{column}", classname=name)
    message = xml_text(it.finding.message)
    text = f"{name}:{line}:{column}: {it.finding.severity}[{it.finding.code}] {message}"
    if it.finding.severity is Severity.ERROR:
        failure = ET.SubElement(case, "failure", message=message, type=it.finding.code)
        failure.text = text
    else:
        ET.SubElement(case, "system-out").text = text


_COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "notice",
    Severity.HINT: "notice",
}


def as_github(files: Sequence[CheckedFile]) -> str:
    """One command a line; nothing when nothing was found. Lines and columns count from one, the end is included."""
    return "\n".join(_command(file.name, it) for file in files for it in file.found)


def _command(name: str, it: Reported) -> str:
    (first, start), (last, end) = it.span
    properties = {"file": name, "line": first + 1, "endLine": last + 1, "title": it.finding.code}
    if first == last:  # GitHub refuses columns across lines.
        properties |= {"col": start + 1, "endColumn": max(start + 1, end)}
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{_COMMANDS[it.finding.severity]} {listed}::{_message(it.finding.message)}"


def _message(text: str) -> str:
    """Line ends stay in it, as GitHub escapes them."""
    return harmless(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
