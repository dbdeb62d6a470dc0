"""A run as JUnit XML, as waza writes it (waza-formats.md, section 15.3): one suite, one test case per task."""

import xml.etree.ElementTree as ET
from datetime import UTC, datetime

from waza_engine.reports.xml_text import xml_text
from waza_engine.runs.records import RunRecord, TaskRecord


def junit_xml(record: RunRecord) -> str:
    """The text of the JUnit file."""
    root = ET.Element("testsuites")
    suite = ET.SubElement(root, "testsuite", {"name": xml_text(record.suite_name)})
    counts = {"tests": str(record.totals.total), "failures": str(record.totals.failed), "errors": "0"}
    seconds = {"time": f"{record.duration_ms / 1000:.3f}"}
    for element in (root, suite):
        element.attrib.update(counts | seconds)
    suite.set("skipped", str(record.totals.skipped))
    suite.set("timestamp", datetime.fromtimestamp(record.started_at, UTC).isoformat(timespec="seconds"))
    _add_properties(suite, record)
    for task in record.tasks:
        _add_case(suite, record, task)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _add_properties(suite: ET.Element, record: RunRecord) -> None:
    properties = ET.SubElement(suite, "properties")
    values = {
        "skill": record.skill,
        "model": record.model,
        "engine": record.executor,
        "score": f"{record.totals.aggregate_score:.4f}",
    }
    for name, value in values.items():
        ET.SubElement(properties, "property", {"name": name, "value": xml_text(value)})


def _add_case(suite: ET.Element, record: RunRecord, task: TaskRecord) -> None:
    seconds = (task.stats.avg_duration_ms if task.stats else 0) / 1000
    attributes = {"name": xml_text(task.name), "classname": xml_text(record.skill), "time": f"{seconds:.3f}"}
    case = ET.SubElement(suite, "testcase", attributes)
    if task.status == "skipped":
        ET.SubElement(case, "skipped", {"message": "grading skipped"})
    elif task.status == "failed":
        _add_failure(case, task)


def _add_failure(case: ET.Element, task: TaskRecord) -> None:
    """Why a task failed: from its first trial that did not pass, or from the hook that stopped it.

    An error of a trial is a failure too, as in waza: a task is never in error (section 14.1).
    """
    trial = next((it for it in task.trials if it.status != "passed"), None)
    error = task.error if trial is None else trial.error
    score = task.stats.avg_score if task.stats else 0.0
    kind = "ExecutionError" if error else "GraderFailure"
    message = xml_text(f"{task.name}: score={score:.2f}")
    failure = ET.SubElement(case, "failure", {"message": message, "type": kind})
    failed = [it for it in trial.graders if it.status == "failed"] if trial else []
    lines = [f"[FAIL] {it.name} ({it.type}): score={it.score:.2f} \u2014 {it.feedback}" for it in failed]
    failure.text = xml_text("\n".join([f"[ERROR] {error}", *lines] if error else lines))
