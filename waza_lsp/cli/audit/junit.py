"""Print an audit as JUnit XML: a suite per eval, and a test case per task."""

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from waza_engine.audit.findings import findings_by_task
from waza_engine.audit.score import TaskAudit
from waza_engine.reports.junit import xml_text
from waza_lsp.cli.audit.report import AuditReport, conclusion
from waza_lsp.cli.load_errors import find_place, short_path


def as_junit(report: AuditReport, least: float | None) -> str:
    """Return the audit as JUnit XML. It has a failure if and only if the command fails; `least` is the lowest score."""
    root = ET.Element("testsuites", name="waza-lsp audit")
    for each in report.evals:
        path = xml_text(str(each.path))
        suite = ET.SubElement(root, "testsuite", name=path)
        for audit, found in findings_by_task(each.audits):
            case = ET.SubElement(suite, "testcase", name=xml_text(audit.task), classname=path)
            if audit.path is not None:
                place = find_place(audit.path, audit.pointer)
                case.set("file", xml_text(str(short_path(audit.path))))
                case.set("line", str(place.line + 1 if place is not None else 1))
            for kind, code, message in _problems(audit, least):
                ET.SubElement(case, kind, message=xml_text(message), type=code)
            if found:
                lines = (f"{it.finding.code}: {it.finding.message}" for it in found)
                ET.SubElement(case, "system-out").text = xml_text("\n".join(lines))
    whole = ET.SubElement(root, "testsuite", name="audit")
    for problem in report.problems:
        case = ET.SubElement(whole, "testcase", name="not audited", classname="audit")
        ET.SubElement(case, "error", message=xml_text(problem), type="not-audited")
    reason = conclusion(report, least)
    case = ET.SubElement(whole, "testcase", name="conclusion", classname="audit")
    if reason:
        ET.SubElement(case, "failure", message=xml_text(reason), type="audit")
    for suite in root:
        suite.set("tests", str(len(suite)))
        suite.set("failures", str(len(suite.findall("testcase/failure"))))
        suite.set("errors", str(len(suite.findall("testcase/error"))))
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(it.get(name, "0")) for it in root)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode")


def _problems(audit: TaskAudit, least: float | None) -> Iterator[tuple[str, str, str]]:
    """Yield why a task fails: the element, the type and the message. A test case has at most one of each element."""
    broken = [audit.problem] * bool(audit.problem) + [it.shown for it in audit.unreadable]
    broken += [audit.lost] * bool(audit.lost and not audit.problem)
    if broken:
        yield "error", "not-audited", "; ".join(broken)
    counter = [f"recordings/counter/{it.name}" for it in audit.passing_counter_examples]
    if counter:
        yield "failure", "counter-example-passes", f"must fail, but passes: {', '.join(counter)}"
    elif audit.passes_without_work and least is not None:
        agents = "; ".join(it.change for it in audit.accused) or "every agent, because nothing checks it"
        yield "failure", "passes-without-work", f"passes for {agents}"
