"""The codes of an audit's findings. Plain data: the server needs them without the audit.

They are hints: an audit finds no error of the file. Only counter examples say what the author wants. Levels in the
settings raise them by code.
"""

from waza_engine.model.findings import Rule, Severity

MOST_NAMED = 3
"""So many agents or changes does a message name."""
PASSES_WITHOUT_WORK = Rule(
    "passes-without-work", "task that passes for an agent that does no work", Severity.HINT
)
ONLY_JUDGE = Rule("only-judge", "task that only a judge or a program keeps from passing", Severity.HINT)
SURVIVING_MUTANT = Rule("surviving-mutant", "grader that does not notice broken work", Severity.HINT)
IDLE_GRADER = Rule("idle-grader", "grader that notices nothing", Severity.HINT)
PROMPT_WORDS = Rule("prompt-words", "check that an agent passes by repeating the prompt", Severity.HINT)
UNSEEN_WORK = Rule("unseen-work", "written files that no grader looks at", Severity.HINT)
BLIND_GRADER = Rule("blind-grader", "grader that never looks at the agent's work", Severity.HINT)
COUNTER_EXAMPLE_PASSES = Rule("counter-example-passes", "counter example that passes", Severity.WARNING)
UNREADABLE_RECORDING = Rule("unreadable-recording", "recording that cannot be read", Severity.WARNING)
RULES = (
    COUNTER_EXAMPLE_PASSES,
    UNREADABLE_RECORDING,
    PASSES_WITHOUT_WORK,
    ONLY_JUDGE,
    SURVIVING_MUTANT,
    IDLE_GRADER,
    PROMPT_WORDS,
    UNSEEN_WORK,
    BLIND_GRADER,
)
NEGATIVE_TEST = "negative-test"
"""The word of the comment that marks a negative test: `# waza-lsp: negative-test`."""
