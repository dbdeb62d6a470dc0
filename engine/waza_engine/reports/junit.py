"""Report a run as JUnit XML: one suite with one test case per task, as waza writes it.

See docs/reference/waza-formats.md, section 15.3. If the eval has a scoring of its own, there is one test case per trial
(docs/reference/vally.md, section 10.2). Tasks that did not start are skipped test cases. Each run-level failure
(cancelled, threshold missed) is an extra test case, so that a reader of this file alone does not miss it.

Test cases that did not pass have the attributes `file` and `line`, from which CI systems annotate files: the place of
the first failed check. Below each of waza's lines about a grader is its evidence.

Control characters are removed: the standard library would write them, but XML readers refuse some.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import fields
from datetime import UTC, datetime

from waza_engine.model.results.records import GraderOutcome, RunRecord, TaskRecord, TrialRecord
from waza_engine.model.results.threshold import deciding_tasks, eval_verdict
from waza_engine.reports.evidence import Evidence, Sources, trial_evidence
from waza_engine.reports.inert import visible
from waza_engine.reports.reasons import Reason, quarantine_text, reasons, why_unperformed

_INFRASTRUCTURE = "InfrastructureError"
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """Return `text` without the characters that XML 1.0 forbids or discourages; those that reorder text as escapes."""
    return visible(_FORBIDDEN.sub("", text))


def junit_xml(record: RunRecord) -> str:
    """Return the text of the JUnit file, including the final newline."""
    root = ET.Element("testsuites")
    suite = ET.SubElement(root, "testsuite", {"name": xml_text(record.suite_name)})
    # Trials that could not be judged are errors of their own test cases. Trigger prompts have none.
    is_shown = record.infrastructure and not any(it.infrastructure for it in record.triggers)
    run_failures = [it for it in reasons(record) if not (it.is_error and is_shown)]
    counts = _counts(record, run_failures)
    seconds = {"time": f"{record.duration_ms / 1000:.3f}"}
    for element in (root, suite):
        element.attrib.update(counts | seconds)
    skipped = record.totals.skipped + len(record.unperformed) + _quarantined(record)
    suite.set("skipped", str(skipped))
    suite.set("timestamp", datetime.fromtimestamp(record.started_at, UTC).isoformat(timespec="seconds"))
    _add_properties(suite, record)
    sources = Sources()
    for task in record.tasks:
        if record.scoring is None:
            _add_case(suite, record, task, sources)
        else:
            _add_trials(suite, record, task, sources)
    for name in record.unperformed:
        case = ET.SubElement(suite, "testcase", _zero_time(record, name))
        ET.SubElement(case, "skipped", {"message": xml_text(why_unperformed(record))})
    for reason in run_failures:
        _add_reason(suite, record, reason)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _quarantined(record: RunRecord) -> int:
    """Return how many test cases are skipped because their tasks are in quarantine and did not pass."""
    bad = [it for it in record.tasks if it.quarantine and it.status in {"failed", "error"}]
    if record.scoring is None:
        return len(bad)
    return sum(it.stats.failed_runs + it.stats.error_runs if it.stats else bool(it.error) for it in bad)


def _counts(record: RunRecord, run_failures: Sequence[Reason]) -> dict[str, str]:
    deciding = deciding_tasks(record.tasks)
    if record.scoring is None:
        tests = record.totals.total
        failures, errors = (sum(it.status == status for it in deciding) for status in ("failed", "error"))
    else:
        stats = [it.stats for it in deciding if it.stats]
        stopped = [it for it in record.tasks if it.stats is None and it.error]
        tests = sum(it.stats.total_runs for it in record.tasks if it.stats) + len(stopped)
        failures = sum(it.failed_runs for it in stats)
        errors = sum(it.error_runs for it in stats) + len(deciding_tasks(stopped))
    broken = sum(it.is_error for it in run_failures)
    return {
        "tests": str(tests + len(record.unperformed) + len(run_failures)),
        "failures": str(failures + len(run_failures) - broken),
        "errors": str(errors + broken),
    }


def _add_reason(suite: ET.Element, record: RunRecord, reason: Reason) -> None:
    case = ET.SubElement(suite, "testcase", _zero_time(record, reason.subject))
    error = "ExecutionError"
    if record.infrastructure or record.is_left_open:
        error = _INFRASTRUCTURE if record.infrastructure else "NotDecided"
    tag, kind = ("error", error) if reason.is_error else ("failure", "RunFailure")
    ET.SubElement(case, tag, {"message": xml_text(reason.message), "type": kind})


def _zero_time(record: RunRecord, name: str) -> dict[str, str]:
    """The attributes of a test case without a duration."""
    owner = record.skill if record.scoring is None else record.suite_name
    return {"name": xml_text(name), "classname": xml_text(owner), "time": "0.000"}


def _add_properties(suite: ET.Element, record: RunRecord) -> None:
    properties = ET.SubElement(suite, "properties")
    score = record.totals.aggregate_score
    if record.scoring is not None:
        # The threshold ignores trials without a grade.
        score = eval_verdict(record.scoring, deciding_tasks(record.tasks)).overall_score
    values = {
        "skill": record.skill,
        "model": record.model,
        "engine": record.executor,
        "score": f"{score:.4f}",
    }
    if record.scoring is not None and record.scoring.threshold is not None:
        values["threshold"] = f"{record.scoring.threshold:g}"
    used = record.consumption
    values |= {it.name: f"{value:g}" for it in fields(used) if (value := getattr(used, it.name))}
    for name, value in values.items():
        ET.SubElement(properties, "property", {"name": name, "value": xml_text(value)})


def _add_trials(suite: ET.Element, record: RunRecord, task: TaskRecord, sources: Sources) -> None:
    if task.stats is None and task.error:
        case = ET.SubElement(suite, "testcase", _zero_time(record, task.name))
        if task.quarantine:
            _skip(case, task)
            return
        ET.SubElement(case, "error", {"message": xml_text(task.error), "type": "ExecutionError"})
    for trial in task.trials:
        seconds = trial.trajectory.duration_ms / 1000
        name = f"{task.name} (trial {trial.trial})"
        attributes = {
            "name": xml_text(name),
            "classname": xml_text(record.suite_name),
            "time": f"{seconds:.3f}",
        }
        case = ET.SubElement(suite, "testcase", attributes)
        message = xml_text(f"{name}: score={trial.score:.2f}")
        if trial.status == "skipped":
            ET.SubElement(case, "skipped", {"message": "grading skipped"})
        elif task.quarantine and trial.status != "passed":
            _skip(case, task)
        elif trial.status == "error":
            kind = _INFRASTRUCTURE if trial.infrastructure else "ExecutionError"
            error = ET.SubElement(case, "error", {"message": message, "type": kind})
            error.text = xml_text(f"[ERROR] {trial.error}")
            _add_place(case, trial, sources)
        elif trial.status == "failed":
            failure = ET.SubElement(case, "failure", {"message": message, "type": "GraderFailure"})
            failure.text = xml_text("\n".join(_failed_lines(trial, sources)))
            _add_place(case, trial, sources)


def _add_case(suite: ET.Element, record: RunRecord, task: TaskRecord, sources: Sources) -> None:
    seconds = (task.stats.avg_duration_ms if task.stats else 0) / 1000
    attributes = {"name": xml_text(task.name), "classname": xml_text(record.skill), "time": f"{seconds:.3f}"}
    case = ET.SubElement(suite, "testcase", attributes)
    if task.status == "skipped":
        ET.SubElement(case, "skipped", {"message": "grading skipped"})
    elif task.quarantine and task.status != "passed":
        _skip(case, task)
    elif task.status in {"failed", "error"}:
        _add_failure(case, task, sources)


def _skip(case: ET.Element, task: TaskRecord) -> None:
    ET.SubElement(case, "skipped", {"message": xml_text(f"not passed, {quarantine_text(task)}")})


def _add_failure(case: ET.Element, task: TaskRecord, sources: Sources) -> None:
    """Add why a task failed: from its first trial that did not pass, or from the hook that stopped it.

    As in waza, a trial's error is a failure too (docs/reference/waza-formats.md, section 14.1). Errors of
    infrastructure are not: a task is in error if nothing else kept it from passing.
    """
    is_open = task.status == "error"
    trial = next((it for it in task.trials if it.status != "passed" and it.infrastructure is is_open), None)
    error = task.error if trial is None else trial.error
    score = task.stats.avg_score if task.stats else 0.0
    kind = _INFRASTRUCTURE if is_open else "ExecutionError" if error else "GraderFailure"
    message = xml_text(f"{task.name}: score={score:.2f}")
    failure = ET.SubElement(case, "error" if is_open else "failure", {"message": message, "type": kind})
    lines = _failed_lines(trial, sources) if trial else []
    failure.text = xml_text("\n".join([f"[ERROR] {error}", *lines] if error else lines))
    if trial:
        _add_place(case, trial, sources)


def _add_place(case: ET.Element, trial: TrialRecord, sources: Sources) -> None:
    """Add the file and the line of the first failed check."""
    source = next((it.source for it in _evidence(trial, sources) if it.source), None)
    if source is not None:
        case.set("file", xml_text(source.file))
        if source.line:
            case.set("line", str(source.line))


def _failed_lines(trial: TrialRecord, sources: Sources) -> Iterator[str]:
    """Yield a line for each grader that failed, as waza does, and its evidence below. The checkpoints come last."""
    evidence = list(_evidence(trial, sources))
    yield from _grader_lines(trial, trial.graders, evidence, 0)
    for point in trial.checkpoints:
        yield from _grader_lines(trial, point.graders, evidence, point.after_turn)


def _grader_lines(
    trial: TrialRecord, graders: Sequence[GraderOutcome], evidence: Sequence[Evidence], after_turn: int
) -> Iterator[str]:
    start = f"after turn {after_turn}: " if after_turn else ""
    for grader in graders:
        if grader.status == "failed" or (grader.status == "error" and trial.status != "error"):
            yield f"[FAIL] {start}{grader.name} ({grader.type}): score={grader.score:.2f} \u2014 {grader.feedback}"
            name = grader.name or grader.type
            # What several graders have in common is told once, with the first of them.
            own = (it for it in evidence if it.after_turn == after_turn and it.graders[:1] == (name,))
            for it in own:
                yield from _evidence_lines(it)


def _evidence_lines(evidence: Evidence) -> Iterator[str]:
    if evidence.source:
        yield f"    {evidence.source}"
    for name, text in (("wanted", evidence.wanted), ("found", evidence.found)):
        if text:
            yield f"    {name}: {text}"
    yield from (f"        {it}" for it in evidence.excerpt.splitlines())


def _evidence(trial: TrialRecord, sources: Sources) -> Iterator[Evidence]:
    return (it for it in trial_evidence(trial, sources).values() if it.status != "points")
