"""Print an audit as JUnit XML: a suite per eval, and a test case per task."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from xml.etree import ElementTree as ET

from waza_engine.audit.findings import findings_by_task
from waza_engine.audit.placing import PlacedFinding
from waza_engine.audit.score import TaskAudit
from waza_engine.reports.junit import xml_text
from waza_lsp.cli.audit.report import AuditReport, conclusion
from waza_lsp.cli.load_errors import find_place, short_path


def junit_chunks(report: AuditReport, least: float | None) -> Iterator[str]:
    """Yield the audit as JUnit XML. It has a failure or error if and only if the command fails.

    `least` is the lowest score.
    """
    last = _last_suite(report, least)
    counts = [_counts(_problems(audit, least) for audit in each.audits) for each in report.evals]
    counts.append(_counts([(it.tag, "", "") for it in case] for case in last))
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield _opening("testsuites", "waza-lsp audit", _Counts(*map(sum, zip(*counts, strict=True))))
    for each, count in zip(report.evals, counts, strict=False):
        path = xml_text(str(each.path))
        yield f"  {_opening('testsuite', path, count)}"
        for audit, found in findings_by_task(each.audits):
            yield _printed(_case(audit, found, path, least))
        yield "  </testsuite>\n"
    yield f"  {_opening('testsuite', 'audit', counts[-1])}"
    yield from map(_printed, last)
    yield "  </testsuite>\n</testsuites>\n"


class _Counts(NamedTuple):
    tests: int = 0
    failures: int = 0
    errors: int = 0


def _counts(cases: Iterable[Iterable[tuple[str, str, str]]]) -> _Counts:
    """Return how many cases there are, and how many have a failure or an error; `cases` are their problems."""
    tests, kinds = 0, Counter[str]()
    for it in cases:
        tests += 1
        kinds.update({kind for kind, *_ in it})
    return _Counts(tests, kinds["failure"], kinds["error"])


def _case(audit: TaskAudit, found: Sequence[PlacedFinding], path: str, least: float | None) -> ET.Element:
    case = ET.Element("testcase", name=xml_text(audit.task), classname=path)
    if audit.path is not None:
        place = find_place(audit.path, audit.pointer)
        case.set("file", xml_text(str(short_path(audit.path))))
        case.set("line", str(place.line + 1 if place is not None else 1))
    for kind, code, message in _problems(audit, least):
        ET.SubElement(case, kind, message=xml_text(message), type=code)
    if found:
        lines = (f"{it.finding.code}: {it.finding.message}" for it in found)
        ET.SubElement(case, "system-out").text = xml_text("\n".join(lines))
    return case


def _last_suite(report: AuditReport, least: float | None) -> list[ET.Element]:
    """Return the cases of the audit as a whole."""
    cases = []
    for problem in report.problems:
        cases.append(ET.Element("testcase", name="not audited", classname="audit"))
        ET.SubElement(cases[-1], "error", message=xml_text(problem), type="not-audited")
    cases.append(ET.Element("testcase", name="conclusion", classname="audit"))
    failed, undecided = conclusion(report, least)
    if failed:
        ET.SubElement(cases[-1], "failure", message=xml_text(failed), type="audit")
    elif undecided:
        ET.SubElement(cases[-1], "error", message=xml_text(undecided), type="undecided")
    return cases


def _opening(tag: str, name: str, counts: _Counts) -> str:
    numbers = {key: str(it) for key, it in counts._asdict().items()}
    whole = ET.tostring(ET.Element(tag, {"name": name, **numbers}), "unicode", short_empty_elements=False)
    return f"{whole.removesuffix(f'</{tag}>')}\n"


def _printed(case: ET.Element) -> str:
    ET.indent(case, level=2)
    return f"    {ET.tostring(case, encoding='unicode')}\n"


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
