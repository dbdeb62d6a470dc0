"""The grading engine: eval formats, graders, rules, runs. Knows nothing of editors or text positions.

The names in `__all__` are public, with examples in `docs/engine.md`; they keep their meaning within a major version. All
other names, in any module, may change. A public name is imported when it is first used, because the language server and
its child processes start without most of them.
"""

from waza_engine.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from waza_engine.analysis.pipeline import check_file
    from waza_engine.executors.base import (
        Executor,
        ExecutorError,
        ExecutorOptions,
        Progress,
        TrialRequest,
        TriggerRequest,
        UnavailableError,
    )
    from waza_engine.executors.replay import read_recording
    from waza_engine.graders.base import ConfigError, GradeError, Grader
    from waza_engine.graders.context import GradingContext
    from waza_engine.graders.result import GraderFailure, GraderResult, GraderVerdict, RunVerdict
    from waza_engine.grading.grade import grade_entry, grade_run
    from waza_engine.lib.pointer import Pointer
    from waza_engine.model.fields import Flag, Integer, ListOf, Number, Strings, Text
    from waza_engine.model.findings import Finding, Fix, Rule, Scope, Severity
    from waza_engine.model.records import (
        FailedCheck,
        GraderOutcome,
        RunRecord,
        TaskRecord,
        TrialRecord,
        TrialVerdict,
    )
    from waza_engine.model.suite import GraderEntry, LoadError, Suite, Task
    from waza_engine.model.trajectory import Session, SkillInvocation, ToolCall, ToolEvent, Trajectory, Usage
    from waza_engine.project.load_suite import load_suite
    from waza_engine.reports.junit import junit_xml
    from waza_engine.reports.results.write import results_json
    from waza_engine.reports.text import text_report
    from waza_engine.runs.events import Event, Listener
    from waza_engine.runs.planning.plan import Overrides, PlanError
    from waza_engine.runs.recordings.find import Recording, recordings_of
    from waza_engine.runs.recordings.regrade import grade_recording
    from waza_engine.runs.run_eval import run_eval
    from waza_engine.runs.store.rows import StoredRun, StoredTrial
    from waza_engine.runs.store.store import RunStore, StoreError, default_store_dir
    from waza_engine.runs.trial.workspace import WorkspaceError

__all__ = [
    "ConfigError",
    "Event",
    "Executor",
    "ExecutorError",
    "ExecutorOptions",
    "FailedCheck",
    "Finding",
    "Fix",
    "Flag",
    "GradeError",
    "Grader",
    "GraderEntry",
    "GraderFailure",
    "GraderOutcome",
    "GraderResult",
    "GraderVerdict",
    "GradingContext",
    "Integer",
    "ListOf",
    "Listener",
    "LoadError",
    "Number",
    "Overrides",
    "PlanError",
    "Pointer",
    "Progress",
    "Recording",
    "Rule",
    "RunRecord",
    "RunStore",
    "RunVerdict",
    "Scope",
    "Session",
    "Severity",
    "SkillInvocation",
    "StoreError",
    "StoredRun",
    "StoredTrial",
    "Strings",
    "Suite",
    "Task",
    "TaskRecord",
    "Text",
    "ToolCall",
    "ToolEvent",
    "Trajectory",
    "TrialRecord",
    "TrialRequest",
    "TrialVerdict",
    "TriggerRequest",
    "UnavailableError",
    "Usage",
    "WorkspaceError",
    "__version__",
    "check_file",
    "default_store_dir",
    "grade_entry",
    "grade_recording",
    "grade_run",
    "junit_xml",
    "load_suite",
    "read_recording",
    "recordings_of",
    "results_json",
    "run_eval",
    "text_report",
]

_HOMES = {
    "analysis.pipeline": "check_file",
    "executors.base": "Executor ExecutorError ExecutorOptions Progress TrialRequest TriggerRequest UnavailableError",
    "executors.replay": "read_recording",
    "graders.base": "ConfigError GradeError Grader",
    "graders.context": "GradingContext",
    "graders.result": "GraderFailure GraderResult GraderVerdict RunVerdict",
    "grading.grade": "grade_entry grade_run",
    "lib.pointer": "Pointer",
    "model.fields": "Flag Integer ListOf Number Strings Text",
    "model.findings": "Finding Fix Rule Scope Severity",
    "model.records": "FailedCheck GraderOutcome RunRecord TaskRecord TrialRecord TrialVerdict",
    "model.suite": "GraderEntry LoadError Suite Task",
    "model.trajectory": "Session SkillInvocation ToolCall ToolEvent Trajectory Usage",
    "project.load_suite": "load_suite",
    "reports.junit": "junit_xml",
    "reports.results.write": "results_json",
    "reports.text": "text_report",
    "runs.events": "Event Listener",
    "runs.planning.plan": "Overrides PlanError",
    "runs.recordings.find": "Recording recordings_of",
    "runs.recordings.regrade": "grade_recording",
    "runs.run_eval": "run_eval",
    "runs.store.rows": "StoredRun StoredTrial",
    "runs.store.store": "RunStore StoreError default_store_dir",
    "runs.trial.workspace": "WorkspaceError",
}
"""The module of each public name, as the type checker reads it above."""

# With `__getattr__`, a type checker would accept every name.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        from importlib import import_module

        for module, names in _HOMES.items():
            if name in names.split():
                found = globals()[name] = getattr(import_module(f"{__name__}.{module}"), name)
                return found
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
