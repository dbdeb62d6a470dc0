"""The findings of `waza-lsp check` as JUnit XML: a suite for each file, a test case for each finding.

Only errors are failures, as in the exit status; other findings are passed test cases with an output.
"""

import xml.etree.ElementTree as ET
from collections.abc import Sequence

from waza_engine.findings import Severity
from waza_engine.reports.xml_text import xml_text
from waza_lsp.cli.check_report import CheckedFile, Reported


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
