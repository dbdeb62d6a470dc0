"""How files of the waza dialect are recognised.

Plain data; a test holds `keys` to the models. See docs/reference/waza-formats.md, section 2.
"""

from dataclasses import replace

from waza_engine.plugins import GRADER_GROUP
from waza_engine.recognition.dialect import Dialect, Kind
from waza_engine.recognition.evidence import FileName, Shape, Signal


def _keys(words: str) -> frozenset[str]:
    return frozenset(words.split())


_EVAL_KEYS = _keys(
    """
    name description skill agent scenario schemaVersion version config hooks inputs graders metrics tasks tasks_from
    range baseline mcp_mocks command_mocks adversarial
    """
)
_TASK_KEYS = _keys(
    """
    id name description enabled golden tags inputs expected graders checkpoints requirements context_dir timeout_seconds
    first_event_timeout_seconds skill_directories instruction_files mcp_mocks command_mocks
    """
)
_TRIGGER_KEYS = _keys("skill should_trigger_prompts should_not_trigger_prompts")
_PROJECT_KEYS = _keys("paths files defaults cache server dev tokens graders storage registries")

_OTHER_TOOLS = _keys(
    """
    apiVersion kind namespace cwlVersion class openapi runs outputs steps jobs services providers hosts
    evaluation_framework runner dataset judges evaluators schema_version cases engine benchmark benchmarks arms
    prompts evals checks models thresholds permissions execution suites ojob
    """
)
"""Top-level keys of Kubernetes, Kestra, CWL, OpenAPI, GitHub Actions, Compose, promptfoo, Ansible, other eval runners ..."""

_TYPES = _keys(
    """
    action_sequence behavior code diff file json_schema program prompt skill_invocation text tool_calls
    tool_constraint trigger human human_calibration keyword llm llm_comparison regex script
    """
)


def _skill(text: str) -> int:
    """A skill is named; other tools name its folder."""
    return -1 if "/" in text or text.startswith(".") else 0


def _task(text: str) -> int:
    """Tasks are files, or patterns for files; other tools give them names. A folder may be either."""
    if text.endswith((".yaml", ".yml")) or set(text) & set("*?["):
        return 1
    is_begun = len(text) < _SHORTEST_NAME or "tasks".startswith(text)
    return 0 if "/" in text or is_begun else -1


_SHORTEST_NAME = 3
"""A shorter text may be the beginning of a path."""


_GRADERS = Shape(own=_keys("config"), common=_keys("type name weight"), types=_TYPES)
_EVAL_SHAPES = {
    "skill": Shape(text=_skill),
    "config": Shape(
        own=_keys(
            """
            trials_per_task timeout_seconds executor first_event_timeout_seconds fail_fast max_attempts judge_model
            skill_directories required_skills disabled_skills instruction_files inject_skill_body max_workers
            """
        ),
        common=_keys("model parallel workers verbose mcp_servers reasoning_effort group_by trials timeout"),
    ),
    "tasks": Shape(own=_keys("inputs include task_files validators"), text=_task),
    "graders": replace(_GRADERS, own=_keys("config ref")),
    "metrics": Shape(common=_keys("name weight threshold description enabled")),
}
_TASK_SHAPES = {
    "inputs": Shape(
        own=_keys("prompt prompt_file files follow_up_prompts responder repos"),
        common=_keys("context environment workdir"),
    ),
    "expected": Shape(
        own=_keys(
            "output_contains output_not_contains output_contains_any outcomes tool_calls behavior should_trigger graders"
        )
    ),
    "graders": _GRADERS,
}
_PROJECT_SHAPES = {
    "paths": Shape(own=_keys("skills evals results")),
    "files": Shape(own=_keys("evalFile taskGlob taskFileSuffix")),
    "defaults": Shape(
        own=_keys("engine judgeModel sessionLog"),
        common=_keys("model model_reasoning_effort reasoningEffort timeout parallel workers verbose"),
    ),
    "tokens": Shape(own=_keys("warningThreshold fallbackLimit limits")),
}
"""What tells waza's values from those of its look-alikes; a test holds the keys to the models."""

_EVAL_DECIDING = {
    "skill": _EVAL_SHAPES["skill"],
    # An author may inline the tasks under this key; entries with an `id` belong to another tool.
    "tasks": replace(_EVAL_SHAPES["tasks"], common=_keys("name description prompt")),
}
_TASK_DECIDING = {"inputs": Shape(), "expected": _TASK_SHAPES["expected"], "graders": _GRADERS}


_SUBJECT = _keys("skill scenario agent")
_EVAL_TELLING = _keys("skill scenario graders tasks_from schemaVersion")
_EVAL_BEGINNINGS = _EVAL_TELLING | _keys("name agent config hooks mcp_mocks command_mocks adversarial")
_TASK_TELLING = _keys("inputs expected graders")


def _addresses(*names: str) -> tuple[str, ...]:
    """Where the schema of a kind stands: waza's own, in any version, and ours."""
    return tuple(f"*/{tool}/*schemas/{name}.schema.json" for tool in ("waza", "waza-lsp") for name in names)


def _paths(*names: str) -> tuple[str, ...]:
    """The same as a path, into a copy of a repository that has them; other tools have such paths, too."""
    return tuple(f"{start}schemas/{it}.schema.json" for start in ("", "*/") for it in names)


def _task_files() -> tuple[FileName, ...]:
    """Task files stand in `tasks`; below a folder of evals an `id` is enough."""
    return tuple(
        FileName(f"{folder}tasks/*{suffix}", telling=telling, may_be_empty=False)
        for suffix in (".yaml", ".yml")
        for folder, telling in (
            ("", _TASK_TELLING),
            ("*eval*/", _TASK_TELLING | {"id"}),
            ("*eval*/*/", _TASK_TELLING | {"id"}),
        )
    )


_TASK_GRADERS = (("graders",), ("checkpoints", "graders"))
_TRIGGER_NAMES = ("trigger_tests.yaml", "trigger_tests.yml")
_MISNAMED_PROJECT = (".waza.yml", "waza.yaml", "waza.yml")
_EVAL_NAMES = ("eval.yaml", "eval.yml", "*.eval.yaml")
_AMONG_EVALS = tuple(f"*eval*/{it}tasks/*{end}" for it in ("", "*/") for end in (".yaml", ".yml"))


DIALECT = Dialect(
    name="waza",
    kinds=(
        # Before the eval: a task with a stray `config` fits both equally well.
        Kind(
            name="task",
            schema="task",
            model="waza_engine.dialects.waza.formats.task:TaskFile",
            keys=_TASK_KEYS,
            runnable="task",
            graders=_TASK_GRADERS,
            strict_graders=True,
            tolerates_unknown=True,
            shapes=_TASK_SHAPES,
            deciding=_TASK_DECIDING,
            too_high=_keys("prompt prompt_file"),
            signals=(
                Signal((_keys("id"), _keys("inputs")), weak=True),
                Signal(
                    (_keys("id"), _keys("name"), _keys("inputs")), weak=True, at=(*_EVAL_NAMES, *_AMONG_EVALS)
                ),
                Signal((_keys("inputs"), _keys("graders expected")), weak=True),
                Signal(
                    (_keys("id"), _keys("graders"), _keys("name tags expected")),
                    weak=True,
                ),
            ),
            addresses=_addresses("task"),
            paths=_paths("task"),
            file_names=_task_files(),
        ),
        Kind(
            name="eval",
            schema="eval",
            model="waza_engine.dialects.waza.formats.eval:EvalFile",
            keys=_EVAL_KEYS,
            runnable="eval",
            graders=(*_TASK_GRADERS[:1], *(("tasks", *it) for it in _TASK_GRADERS)),
            tasks=("tasks",),
            task_keys=_keys("inputs id"),
            task_kind="task",
            strict_graders=True,
            tolerates_unknown=True,
            strict_key="scenario",
            shapes=_EVAL_SHAPES,
            deciding=_EVAL_DECIDING,
            addresses=_addresses("eval"),
            paths=_paths("eval"),
            signals=(
                Signal(
                    (_keys("name"), _keys("skill scenario"), _keys("config tasks tasks_from graders")),
                    at=_EVAL_NAMES,
                ),
                Signal((_keys("name"), _SUBJECT, _keys("config tasks tasks_from graders metrics"))),
                Signal((_keys("graders"), _keys("tasks tasks_from")), weak=True),
                Signal((_keys("graders"), _keys("config skill scenario")), weak=True),
                Signal((_keys("skill scenario"), _keys("config"), _keys("tasks tasks_from metrics"))),
            ),
            file_names=tuple(
                FileName(it, telling=_EVAL_TELLING, beginnings=_EVAL_BEGINNINGS) for it in _EVAL_NAMES
            ),
        ),
        Kind(
            name="triggers",
            schema="triggers",
            model="waza_engine.dialects.waza.formats.triggers:TriggersFile",
            keys=_TRIGGER_KEYS,
            signals=(Signal((_keys("should_trigger_prompts should_not_trigger_prompts"),)),),
            file_names=tuple(map(FileName, _TRIGGER_NAMES)),
            shapes={it: Shape(text=lambda _: 0) for it in _TRIGGER_KEYS - {"skill"}},
            beside_evals=frozenset(_TRIGGER_NAMES),
            trigger_lists=("should_trigger_prompts", "should_not_trigger_prompts"),
        ),
        Kind(
            name="project",
            schema="project",
            model="waza_engine.dialects.waza.formats.project:ProjectFile",
            keys=_PROJECT_KEYS,
            shapes=_PROJECT_SHAPES,
            addresses=_addresses("config", "project"),
            paths=_paths("config", "project"),
            file_names=(
                FileName(".waza.yaml", alone=True),
                # waza does not read these: a rule says so.
                *(FileName(it, may_be_empty=False, telling=_PROJECT_KEYS) for it in _MISNAMED_PROJECT),
            ),
        ),
    ),
    graders=("waza_engine.dialects.waza.graders", "waza_engine.dialects.waza.legacy_graders"),
    load_suite="waza_engine.dialects.waza.formats.loading.load:load_suite",
    rules="waza_engine.dialects.waza.rules",
    never=_keys("stimuli"),
    other_tools=_OTHER_TOOLS,
    project_file=".waza.yaml",
    is_default=True,
    grader_group=GRADER_GROUP,
    meanings=("G2+G3", "G3", "G1", "PY"),
    without_expectations=frozenset(["G1", "PY"]),
    find_grader="waza_engine.dialects.waza.generations.meanings:find_grader",
    read_entry="waza_engine.dialects.waza.generations.entries:read_entry",
    refuses_blank_config=True,
    drops_nulls=True,
    grading_context="waza_engine.dialects.waza.generations.context:waza_context",
    task_refusal="waza_engine.dialects.waza.formats.loading.resources:task_refusal",
    settings=frozenset(["extraGraderTypes", "judges", "target"]),
    starters="waza_engine.dialects.waza.starters:STARTERS",
    check_templates="waza_engine.dialects.waza.check_templates:TEMPLATES",
    eval_of_skill="waza_engine.dialects.waza.starters:eval_of_skill",
    sample="waza_engine.dialects.waza.checks.sample:sample_of",
    releases="waza_engine.dialects.waza.releases:RELEASES",
    results_folder="waza_engine.dialects.waza.formats.loading.project_file:results_folder",
)
