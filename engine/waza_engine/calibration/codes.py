"""The codes of findings about judges. Plain data: the server needs them without the rest."""

from waza_engine.model.findings import Rule, Severity

JUDGE_OF_AGENT_FAMILY = Rule(
    "judge-of-agent-family", "judge of the same model family as the agent", Severity.HINT
)
MISPLACED_THRESHOLD = Rule(
    "misplaced-threshold", "threshold with which a judge agrees less with people", Severity.HINT
)
REPLACEABLE_JUDGE = Rule(
    "replaceable-judge", "judge that a check without a model could replace", Severity.HINT
)
RULES = (JUDGE_OF_AGENT_FAMILY, MISPLACED_THRESHOLD, REPLACEABLE_JUDGE)
