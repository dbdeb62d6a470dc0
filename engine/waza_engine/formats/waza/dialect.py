"""How files of the waza dialect are recognised (waza-formats.md, section 2). Plain data; a test holds `keys` to the models."""

from waza_engine.formats.dialect import Dialect, FileName, Kind, Signal


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
    first_event_timeout_seconds skill_directories instruction_files command_mocks
    """
)
_TRIGGER_KEYS = _keys("skill should_trigger_prompts should_not_trigger_prompts")
_PROJECT_KEYS = _keys("paths files defaults cache server dev tokens graders storage")

_OTHER_TOOLS = _keys(
    """
    apiVersion kind namespace cwlVersion class openapi runs outputs steps jobs services providers hosts
    evaluation_framework
    """
)
"""Top-level keys of Kubernetes, Kestra, CWL, OpenAPI, GitHub Actions, Compose, promptfoo, Ansible ..."""


_SUBJECT = _keys("skill scenario agent")
_EVAL_TELLING = _keys("skill scenario graders tasks_from schemaVersion")

DIALECT = Dialect(
    name="waza",
    kinds=(
        # Before the eval: a task with a stray `config` fits both equally well.
        Kind(
            name="task",
            schema="task",
            model="waza_engine.formats.waza.task:TaskFile",
            keys=_TASK_KEYS,
            signals=(
                Signal((_keys("id"), _keys("inputs")), weak=True),
                Signal((_keys("inputs"), _keys("graders expected")), weak=True),
                Signal(
                    (_keys("id"), _keys("graders"), _keys("name tags expected")),
                    weak=True,
                ),
            ),
            file_names=(
                FileName("tasks/*.yaml", telling=_keys("id inputs expected graders"), may_be_empty=False),
                FileName("tasks/*.yml", telling=_keys("id inputs expected graders"), may_be_empty=False),
            ),
        ),
        Kind(
            name="eval",
            schema="eval",
            model="waza_engine.formats.waza.eval:EvalFile",
            keys=_EVAL_KEYS,
            signals=(
                Signal((_keys("name"), _SUBJECT, _keys("config tasks tasks_from graders metrics"))),
                Signal((_keys("graders"), _keys("tasks tasks_from")), weak=True),
                Signal((_keys("graders"), _keys("config skill scenario")), weak=True),
                Signal((_keys("skill scenario"), _keys("config"), _keys("tasks tasks_from metrics"))),
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
            signals=(Signal((_keys("should_trigger_prompts should_not_trigger_prompts"),)),),
            file_names=(FileName("trigger_tests.yaml"),),
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
    never=_keys("stimuli"),
    other_tools=_OTHER_TOOLS,
)
