"""The vally dialect: how to recognise its files, and where its code is.

Plain data. A test compares `keys` with the models. See docs/reference/vally.md, section 1.
"""

from waza_engine.recognition.dialect import Dialect, Kind
from waza_engine.recognition.evidence import FileName, Shape, Signal


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
    prompt turns graders environment rubric constraints artifacts golden_trajectory golden_patch golden_command
    golden_custom_metrics simulation agent_environment
    grading_environment supported_executors
    """
)
_PROJECT_KEYS = _keys("paths suites environments metadata")
_EXPERIMENT_KEYS = _keys("name description evals vary baseline variants matrix overrides execution filter")
_OTHER_TOOLS = _keys(
    """
    apiVersion kind namespace cwlVersion class openapi jobs services providers hosts steps screens trials blocks
    participants instructions tasks skill
    """
)
"""Top-level keys of other tools, such as Kubernetes and workflow languages, and of the sibling dialect."""


def _stimulus(text: str) -> int:
    """Score a stimulus that is a string: it may be the start of a key that is being typed."""
    word = text.partition(":")[0]
    return 0 if any(it.startswith(word) for it in _STIMULUS | {"name", "tags"}) else -2


def _intent(text: str) -> int:
    """Score the value of `type`. Other tools also use "regression", as a machine learning task."""
    return {"capability": 1, "regression": 0}.get(text, -1)


_SETTINGS = _keys("model timeout reasoning_effort max_turns max_retries executor")
_IDENTIFYING = {
    "type": Shape(text=_intent),
    "defaults": Shape(
        own=_keys("runs judge_model judge_reasoning_effort judge_provider"), common=_SETTINGS, closed=True
    ),
    "environment": Shape(
        own=_keys("skills mcpServers"),
        common=_keys("commands git files env"),
        text=lambda _: 0,
        closed=True,
    ),
}
"""Keys that identify an eval without stimuli by the shape of their values.

Thresholds, weights, commands and executors are common to many evaluation tools, so they prove nothing.
"""
_EXCLUDING = {
    "scoring": Shape(common=_keys("threshold weights")),
    "config": Shape(common=_SETTINGS | _keys("runs judge_model judge_reasoning_effort judge_provider")),
}
"""Keys that can only show, by an unusual value, that a file belongs to another tool."""

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
                *(Signal((_keys(it),), weak=True, shaped=it, at=_EVAL_NAMES) for it in _IDENTIFYING),
            ),
            deciding=_IDENTIFYING | _EXCLUDING,
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
    evals_of_suite="waza_engine.dialects.vally.suites:evals_of_suite",
    rules="waza_engine.dialects.vally.rules",
    other_tools=_OTHER_TOOLS,
    schema_folder="vally/",
    project_file=".vally.yaml",
    meanings=("VALLY",),
    replaces_variables=True,
    read_entry="waza_engine.dialects.vally.formats.entries:read_entry",
    grading_context="waza_engine.dialects.vally.graders._shared.context:vally_context",
    context_members="waza_engine.dialects.vally.graders._shared.context:context_members",
    output_is_last_message=True,
    judge_is_optional=True,
    score_trial="waza_engine.dialects.vally.scoring.trial:trial_verdict",
    describe_task="waza_engine.dialects.vally.trajectory.write:stimulus_members",
    starters="waza_engine.dialects.vally.starters:STARTERS",
    check_templates="waza_engine.dialects.vally.check_templates:TEMPLATES",
    eval_of_skill="waza_engine.dialects.vally.starters:eval_of_skill",
    sample="waza_engine.dialects.vally.checks.sample:sample_of",
    releases="waza_engine.dialects.vally.releases:RELEASES",
    packages=("@microsoft/vally", "@microsoft/vally-cli"),
    settings=frozenset(["extraGraderTypes", "judges", "target"]),
    write_results="waza_engine.dialects.vally.write_results:results",
    read_results="waza_engine.dialects.vally.read_results:read_run",
    read_trajectory="waza_engine.dialects.vally.trajectory.files:trajectory_in",
    compare_runs="waza_engine.dialects.vally.scoring.pairwise:compare_runs",
)
