"""How files of the waza dialect are recognised (waza-formats.md, section 2). Plain data; a test holds `keys` to the models."""

from waza_engine.formats.dialect import Dialect, FileName, Kind, Signal

_EVAL_KEYS = frozenset(
    """
    name description skill agent scenario schemaVersion version config hooks inputs graders metrics tasks tasks_from
    range baseline mcp_mocks command_mocks adversarial
    """.split()
)
_TASK_KEYS = frozenset(
    """
    id name description enabled golden tags inputs expected graders checkpoints requirements context_dir timeout_seconds
    first_event_timeout_seconds skill_directories instruction_files command_mocks
    """.split()
)
_TRIGGER_KEYS = frozenset(["skill", "should_trigger_prompts", "should_not_trigger_prompts"])
_PROJECT_KEYS = frozenset("paths files defaults cache server dev tokens graders storage".split())

_OTHER_TOOLS = frozenset(
    """
    apiVersion kind namespace cwlVersion class openapi runs outputs steps jobs services providers hosts
    evaluation_framework
    """.split()
)
"""Top-level keys of Kubernetes, Kestra, CWL, OpenAPI, GitHub Actions, Compose, promptfoo, Ansible ..."""


def _any(*keys: str) -> frozenset[str]:
    return frozenset(keys)


_SUBJECT = _any("skill", "scenario", "agent")
_EVAL_TELLING = _any("skill", "scenario", "graders", "tasks_from", "schemaVersion")

DIALECT = Dialect(
    name="waza",
    kinds=(
        Kind(
            name="eval",
            schema="eval",
            model="waza_engine.formats.waza.eval:EvalFile",
            keys=_EVAL_KEYS,
            signals=(
                Signal((_any("name"), _SUBJECT, _any("config", "tasks", "tasks_from", "graders", "metrics"))),
                Signal((_any("graders"), _any("tasks", "tasks_from")), unless=_OTHER_TOOLS),
                Signal((_any("graders"), _any("config", "skill", "scenario")), unless=_OTHER_TOOLS, weak=True),
                Signal((_any("skill", "scenario"), _any("config"), _any("tasks", "tasks_from", "metrics"))),
            ),
            file_names=(
                FileName("eval.yaml", telling=_EVAL_TELLING),
                FileName("eval.yml", telling=_EVAL_TELLING),
                FileName("*.eval.yaml", telling=_EVAL_TELLING),
            ),
        ),
        Kind(
            name="triggers",
            schema="triggers",
            model="waza_engine.formats.waza.triggers:TriggersFile",
            keys=_TRIGGER_KEYS,
            signals=(Signal((_any("should_trigger_prompts", "should_not_trigger_prompts"),)),),
            file_names=(FileName("trigger_tests.yaml"),),
        ),
        Kind(
            name="task",
            schema="task",
            model="waza_engine.formats.waza.task:TaskFile",
            keys=_TASK_KEYS,
            signals=(
                Signal((_any("id"), _any("inputs")), unless=_OTHER_TOOLS, weak=True),
                Signal((_any("inputs"), _any("graders", "expected")), unless=_OTHER_TOOLS, weak=True),
                Signal((_any("id"), _any("graders"), _any("name", "tags", "expected")), unless=_OTHER_TOOLS, weak=True),
            ),
            file_names=(
                FileName("tasks/*.yaml", telling=_any("id", "inputs", "expected", "graders"), may_be_empty=False),
                FileName("tasks/*.yml", telling=_any("id", "inputs", "expected", "graders"), may_be_empty=False),
            ),
        ),
        Kind(
            name="project",
            schema="project",
            model="waza_engine.formats.waza.project:ProjectFile",
            keys=_PROJECT_KEYS,
            file_names=(FileName(".waza.yaml", alone=True),),
        ),
    ),
    graders=("waza", "legacy"),
    loader="waza_engine.formats.waza.load:load_suite",
    never=frozenset(["stimuli"]),
)
