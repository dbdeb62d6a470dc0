"""Print the findings of `waza-lsp check` for CI: SARIF 2.1.0, JUnit XML, and GitHub workflow commands."""

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from waza_engine.lib.links import HOME, rule_page
from waza_engine.model.findings import Rule, Severity
from waza_engine.reports.inert import harmless
from waza_engine.reports.junit import xml_text
from waza_engine.version import __version__
from waza_lsp.cli.check.report import CheckedFile, ReportedFinding
from waza_lsp.features.diagnostics import SOURCE
from waza_lsp.syntax.text import Span

_SARIF_LINK = re.compile(r"\[(?=[^\[\]]*\]\()")
_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_SARIF_ROOT = "%SRCROOT%"
_SARIF_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "note",
    Severity.HINT: "note",
}
_GITHUB_COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "notice",
    Severity.HINT: "notice",
}


def as_sarif(files: Sequence[CheckedFile]) -> str:
    """Return one SARIF run. Lines and columns count from 1, columns in code points; paths are relative if possible."""
    rules = {it.finding.rule for file in files for it in file.found}
    return "".join(sarif_chunks(files, rules, [it.name for it in files]))


def sarif_chunks(files: Iterable[CheckedFile], rules: Iterable[Rule], names: Iterable[str]) -> Iterator[str]:
    """Yield one SARIF run piece by piece. `rules` are those of the findings, `names` those of the files."""
    ordered = sorted(rules, key=lambda it: it.code)
    index = {rule.code: position for position, rule in enumerate(ordered)}
    driver = {
        "name": SOURCE,
        "version": __version__,
        "informationUri": HOME,
        "rules": [_sarif_rule(it) for it in ordered],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_SARIF_ROOT: {"uri": Path.cwd().as_uri().rstrip("/") + "/"}},
        "artifacts": [{"location": _artifact(it)} for it in names],
        "results": [],
    }
    report = {"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}
    # The results are the last value, and replace the empty list.
    start, _, end = json.dumps(report, indent=2, ensure_ascii=False).rpartition("[]")
    yield f"{start}["
    is_first = True
    for file in files:
        for it in file.found:
            result = json.dumps(_sarif_result(file, it, index[it.finding.code]), indent=2, ensure_ascii=False)
            yield f"{'' if is_first else ','}\n        {result.replace(chr(10), f'{chr(10)}        ')}"
            is_first = False
    yield f"{'' if is_first else f'{chr(10)}      '}]{end}"


def _sarif_rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "shortDescription": {"text": rule.title[:1].upper() + rule.title[1:]},
        "helpUri": rule_page(rule.code),
        "defaultConfiguration": {"level": _SARIF_LEVELS[rule.severity]},
    }


def _sarif_result(file: CheckedFile, reported: ReportedFinding, rule_index: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": reported.finding.code,
        "ruleIndex": rule_index,
        "level": _SARIF_LEVELS[reported.finding.severity],
        "message": {"text": _sarif_text(reported.finding.message)},
        "locations": [_location(file.name, reported.span)],
    }
    if reported.related:
        result["relatedLocations"] = [
            {**_location(file.name, span), "message": {"text": _sarif_text(text)}}
            for span, text in reported.related
        ]
    return result


def _sarif_text(text: str) -> str:
    """Escape what SARIF would read as a link: `[text](target)` (section 3.11.6)."""
    return _SARIF_LINK.sub(r"\\[", text)


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
    return {"uri": quote(path.as_posix(), errors="surrogateescape"), "uriBaseId": _SARIF_ROOT}


def as_junit(files: Sequence[CheckedFile]) -> str:
    """Return JUnit XML with one suite per file and one test case per finding.

    Only errors are failures, as in the exit status. Other findings are passed test cases with output.
    """
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
    for reported in file.found:
        _add_case(suite, name, reported)
    if not file.found:
        ET.SubElement(suite, "testcase", name="no findings", classname=name)
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("errors", "0")


def _add_case(suite: ET.Element, name: str, reported: ReportedFinding) -> None:
    finding, start = reported.finding, reported.span.start
    line, column = start.line + 1, start.column + 1
    case = ET.SubElement(suite, "testcase", name=f"{finding.code} {line}:{column}", classname=name)
    message = xml_text(finding.message)
    text = f"{name}:{line}:{column}: {finding.severity}[{finding.code}] {message}"
    if finding.severity is Severity.ERROR:
        failure = ET.SubElement(case, "failure", message=message, type=finding.code)
        failure.text = text
    else:
        ET.SubElement(case, "system-out").text = text


def as_github(files: Iterable[CheckedFile]) -> str:
    """Return one workflow command per finding, which GitHub shows beside the lines of a pull request.

    Lines and columns count from 1, and the end is included.
    """
    return "\n".join(github_lines(files))


def github_lines(files: Iterable[CheckedFile]) -> Iterator[str]:
    """Yield the same, line by line."""
    return (_github_command(file.name, it) for file in files for it in file.found)


def _github_command(name: str, reported: ReportedFinding) -> str:
    (first, start), (last, end) = reported.span
    finding = reported.finding
    properties = {"file": name, "line": first + 1, "endLine": last + 1, "title": finding.code}
    if first == last:  # GitHub refuses columns across lines.
        properties |= {"col": start + 1, "endColumn": max(start + 1, end)}
    return github_command(_GITHUB_COMMANDS[finding.severity], finding.message, properties)


def github_command(command: str, message: str, properties: Mapping[str, object]) -> str:
    """Return a workflow command, with everything escaped in it that could end it or begin another one."""
    listed = ",".join(f"{key}={_github_property(str(value))}" for key, value in properties.items())
    return f"::{command} {listed}::{_github_message(message)}"


def _github_message(text: str) -> str:
    """Escape line ends as GitHub does, so that they stay in the message."""
    return harmless(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _github_property(text: str) -> str:
    return _github_message(text).replace(":", "%3A").replace(",", "%2C")
