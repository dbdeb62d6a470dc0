"""How files of the vally dialect are recognised.

Plain data; a test holds `keys` to the models. See docs/reference/vally.md, section 1.
"""

from waza_engine.recognition.dialect import Dialect, FileName, Kind, Shape, Signal


def _keys(words: str) -> frozenset[str]:
    return frozenset(words.split())


_EVAL_KEYS = _keys(
    """
    name description version type tags environment agent_environment grading_environment artifacts defaults config
    stimuli graders scoring
    """
)
_STIMULUS = _keys(
    """
    prompt turns graders environment rubric constraints artifacts golden_trajectory golden_patch agent_environment
    grading_environment supported_executors
    """
)
_PROJECT_KEYS = _keys("paths suites environments")
_EXPERIMENT_KEYS = _keys("name description evals vary baseline variants matrix overrides execution")
_OTHER_TOOLS = _keys(
    """
    apiVersion kind namespace cwlVersion class openapi jobs services providers hosts steps screens trials blocks
    participants instructions tasks skill
    """
)
"""Top-level keys of Kubernetes, workflow languages, experiments with people ..., and of the sibling dialect."""


def _stimulus(text: str) -> int:
    """Our stimuli are mappings; a text may be the first key that is being typed."""
    word = text.partition(":")[0]
    return 0 if any(it.startswith(word) for it in _STIMULUS | {"name", "tags"}) else -2


def _intent(text: str) -> int:
    """Other tools call what they evaluate a regression, too: of a task in machine learning."""
    return {"capability": 1, "regression": 0}.get(text, -1)


_SETTINGS = _keys("model timeout reasoning_effort max_turns max_retries executor")
_DECIDING = {
    "type": Shape(text=_intent),
    "defaults": Shape(own=_keys("runs judge_model judge_reasoning_effort"), common=_SETTINGS, closed=True),
    "environment": Shape(
        own=_keys("skills mcpServers"),
        common=_keys("commands git files env"),
        text=lambda _: 0,
        closed=True,
    ),
}
"""What tells an eval that has no stimuli yet from other files of that name: each has a value of its own kind.

Thresholds, weights, commands and executors are common to all that is evaluated: they tell nothing.
"""
_SPEAKING_AGAINST = {
    "scoring": Shape(common=_keys("threshold weights")),
    "config": Shape(common=_SETTINGS | _keys("runs judge_model judge_reasoning_effort")),
}
"""Keys that only say by a strange value that a file is another tool's."""

_GRADERS = (("graders",), ("stimuli", "graders"), ("stimuli", "checkpoints", "graders"))
_EVAL_NAMES = ("eval.yaml", "eval.yml", "*.eval.yaml", "*.eval.yml")


DIALECT = Dialect(
    name="vally",
    kinds=(
        Kind(
            name="project",
            schema="vally/project",
            addresses=("*/vally/project.schema.json",),
            paths=("vally/project.schema.json", "*/vally/project.schema.json"),
            model="waza_engine.dialects.vally.formats.project:ProjectFile",
            keys=_PROJECT_KEYS,
            file_names=(FileName(".vally.yaml", alone=True),),
        ),
        Kind(
            name="experiment",
            schema="vally/experiment",
            addresses=("*/vally/experiment.schema.json",),
            paths=("vally/experiment.schema.json", "*/vally/experiment.schema.json"),
            model="waza_engine.dialects.vally.formats.experiment:ExperimentFile",
            keys=_EXPERIMENT_KEYS,
            runnable="experiment",
            shapes={"variants": Shape(own=_keys("overrides environment"), named=True)},
            signals=(
                Signal((_keys("evals"), _keys("variants matrix"))),
                Signal((_keys("evals"), _keys("vary"))),
                Signal(
                    (_keys("baseline"), _keys("variants matrix"), _keys("name vary overrides")), weak=True
                ),
            ),
            file_names=(
                FileName("*.experiment.yaml", telling=_keys("evals vary variants"), may_be_empty=False),
                FileName("experiment.yaml", telling=_keys("evals vary"), may_be_empty=False),
                FileName("*.experiment.yaml", in_project=True),
                FileName("experiment.yaml", in_project=True),
            ),
        ),
        Kind(
            name="eval",
            schema="vally/eval",
            addresses=("*/vally/eval.schema.json",),
            paths=("vally/eval.schema.json", "*/vally/eval.schema.json"),
            model="waza_engine.dialects.vally.formats.eval:EvalFile",
            keys=_EVAL_KEYS,
            runnable="eval",
            graders=_GRADERS,
            tasks=("stimuli",),
            shapes={"stimuli": Shape(own=_STIMULUS, common=_keys("name tags"), text=_stimulus)},
            signals=(
                Signal((_keys("stimuli"), _keys("defaults scoring environment config"))),
                Signal((_keys("stimuli"),), shaped="stimuli"),
                Signal((_keys("stimuli"),), weak=True),
                *(Signal((_keys(it),), weak=True, shaped=it, at=_EVAL_NAMES) for it in _DECIDING),
            ),
            deciding=_DECIDING | _SPEAKING_AGAINST,
            file_names=(
                FileName("*.vally.yaml", alone=True),
                FileName("*.vally.yml", alone=True),
                *(FileName(it, in_project=True) for it in _EVAL_NAMES),
            ),
        ),
    ),
    graders=("waza_engine.dialects.vally.graders",),
    load_suite="waza_engine.dialects.vally.formats.load:load_suite",
    load_experiment="waza_engine.dialects.vally.experiments.load:load_experiment",
    rules="waza_engine.dialects.vally.rules",
    other_tools=_OTHER_TOOLS,
    schema_folder="vally/",
    project_file=".vally.yaml",
    meanings=("VALLY",),
    replaces_variables=True,
    grading_context="waza_engine.dialects.vally.graders._shared.context:vally_context",
    output_is_last_message=True,
    judge_is_optional=True,
    score_trial="waza_engine.dialects.vally.scoring.trial:trial_verdict",
    describe_task="waza_engine.dialects.vally.trajectory.write:stimulus_members",
    settings=frozenset(["extraGraderTypes"]),
    write_results="waza_engine.dialects.vally.write_results:results",
    read_results="waza_engine.dialects.vally.read_results:read_run",
    compare_runs="waza_engine.dialects.vally.scoring.pairwise:compare_runs",
)
