"""Words in names, tags, descriptions and prompts by which authors say that a task is a negative test.

`_` and `-` in names and tags are blanks.
"""

import re


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_NOT = r"(?:(?:should|must|shall|do|does|did|will|can) ?(?:not|n't|nt)|never|not|without|cannot)"
_SCOPE = "out of (?:scope|domain)"
_AGENT = "(?:agent|assistant|model|skill|it|answer|response|output)"
_ACTION = (
    r"(?:answer|act|appl|call|chang|commit|creat|delet|deploy|edit|execut|expos|guess|invent|leak|modif)\w*",
    r"(?:overwrit|print|push|reveal|run|send|sent|shar|touch|us(?:e|ing)|writ)\w*",
)

NEGATIVE_TAG = _any_of(
    r"(?:.*\b)?(?:negative|anti) (?:tests?|triggers?|cases?|examples?|controls?)$",
    "(?:(?:true )?negatives?|negativ|anti|irrelevant|unrelated|abstention)$",
    r"(?:no|non|not|never) (?:trigger|activation|op)(?:s|ed|ing)?$",
    r"(?:.*\b)?should ?(?:not|nt) (?:trigger|activate|fire|invoke)\w*$",
    rf"(?:{_SCOPE}|off topic|small ?talk|clarif\w+)$",
)
REFUSAL_TAG = _any_of(
    r"(?:(?:must|should) )?(?:refus\w+|declin\w+|abstain\w*|rejection)$",
    r"(?:.*\b)?jailbreaks?$",
    "harmful",
)
SAFETY_TAG = _any_of(
    "(?:safety|guardrails?|adversarial|injections?|exfiltration|privacy|boundary|boundaries)$",
    r"(?:.*\b)?prompt injections?$",
)
"""Tags of tasks that mostly want a refusal, but not always."""

NEGATIVE_NAME = _any_of(
    rf"\b{_NOT}(?: \w+){{0,2}}? (?:re)?(?:trigger|activat|invok|load|fir(?:e|ing)|rout|kick)\w*",
    r"\b(?:no|non|anti|nicht) (?:trigger|activation|invocation|ops?\b)\w*",
    r"^(?:true )?negatives?(?: ?:| \d|$)",
    r"\bnegative (?:tests?|triggers?|cases?|examples?|prompts?|controls?)\b",
    r"\b(?:leaves?|left) (?:\w+ ){1,4}alone\b",
    r"\b(?:stays?|keeps?) (?:silent|out|quiet|away|dormant)\b",
    r"\b(?:unrelated|irrelevant|off topic|small ?talk)\b",
    rf"^{_SCOPE}\b",
    rf"\b{_SCOPE}(?: (?:request|question|prompt|task))?$",
)
ASKING_NAME = _any_of(
    r"^(?:agent |it |should |must )*asks? (?:before|first|back|for|which|what|whether|when|the user|to confirm)\b",
    r"^(?:agent |it |should |must )*(?:confirms?|clarif\w+|waits? for (?:approval|confirmation))\b",
    r"\b(?:asks?|needs?|requires?|for) (?:clarification|confirmation|approval)\b",
    r"^(?:unclear|ambiguous|vague|underspecified|incomplete) (?:\w+ )?(?:request|prompt|task|question|input|instruction)s?\b",
)
IDLE_NAME = _any_of(
    r"^(?:nothing|no (?:changes?|work|fix|edits?|answer|action|updates?|reply))\b.*\bto \w+",
    r"^(?:nothing|no (?:changes?|work|fix|edits?|answer|action|updates?|reply))\b.*\b(?:needed|needs|necessary|required|due)\b",
    r"\balready (?:\w+ )?(?:right|correct|done|formatted|fixed|there|present|exists?|up to date|clean|sorted|valid)\b",
    r"\b(?:is|are) (?:right|correct|there|formatted|fixed|present|clean) already\b",
)
REFUSING_NAME = _any_of(
    r"(?:^|: )(?:(?:the|an|agent|skill|assistant|model|it|always|politely|correctly|safely) )*"
    r"(?:refuses?|declines?|rejects?|abstains?|says no|pushes back)\b",
    r"\b(?:must|should|will) (?:refuse|decline|reject|abstain)\b",
    r"\b(?:says?|admits?|states?|tells?)\b.*\b(?:it|agent) (?:cannot|can ?not|can't|does not|doesn't) (?:know|tell|answer|see)\b",
)
LIMITING_NAME = _any_of(*(rf"\b{_NOT}(?: \w+){{0,2}}? {it}" for it in _ACTION))
"""Names of the one thing that must not happen. Work has such limits, too."""

REFUSAL_TOLD = _any_of(
    rf"\b{_AGENT}\b[^.\n]{{0,40}}\b(?:declines?|refuses?|refusal|must not comply)\b",
)
NOTHING_TOLD = _any_of(
    r"(?:^|\n)\s*(?:\w+ )?(?:negative|anti[- ]trigger)(?: (?:test|trigger|case|example|control)s?)?\s*[:.,—-]",
    r"\bnegative (?:test|trigger|case)\b",
    rf"\b{_NOT} (?:be )?(?:trigger|activat|invok|load)\w*",
    r"\bshould[- ]skip\b",
    r"\b(?:must|should) stay (?:out|away|silent|quiet)\b",
    r"\bno changes? (?:is|are) (?:needed|necessary|due|required)\b",
    r"\bnothing (?:is |has )?to (?:be )?(?:do|done|change|changed)\b",
    rf"\b{_AGENT}\b[^.\n]{{0,30}}\basks?\b[^.\n]{{0,60}}\b(?:instead|before|first|back|confirm\w*|clarif\w*)\b",
)
NOTHING_ASKED = _any_of(
    r"\b(?:if|when|unless)\b[^.?!\n]{0,80}\b(?:do|change|edit|touch|write)\s+nothing\b",
    r"\b(?:do|change|edit|touch|write)\s+nothing\s+(?:if|when|unless)\b",
    r"\bif\b[^.?!\n]{0,60},?\s+(?:just\s+|please\s+)?(?:leave|keep)\s+(?:it|them|the\s+\w+|everything)\b",
    r"(?:^|[.!?]\s+)(?:please )?(?:do not|don't) (?:answer|reply|respond)(?: me| to this)?\s*[.!]",
    r"\bif\b[^.?!\n]{0,60}\.\s+otherwise,?\s+(?:do|change)\s+nothing\b",
)
"""Prompts that allow to do nothing."""
