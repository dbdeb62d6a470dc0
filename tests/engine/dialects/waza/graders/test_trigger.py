"""The `trigger` grader and what it reads out of a SKILL.md.

See docs/reference/waza-graders.md, sections 5.13 and 13.12.
"""

from pathlib import Path
from typing import Any

import pytest

from waza_engine.dialects.waza.graders.trigger import TriggerGrader
from waza_engine.dialects.waza.skill_relevance import SkillTextError, read_skill, relevance, tokens
from waza_engine.graders.base import ConfigError, GradingContext


def phrases(description: str) -> tuple[str, ...]:
    return read_skill(f"---\nname: skill\ndescription: {description!r}\n---\n").phrases


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("Use for: a b, c (note), (only note), d(x).", ("a b", "c", "d")),
        ("use FOR: x... DO NOT USE FOR: y. USE FOR: z", ("x",)),
        ("USE FOR: one INVOKES: two", ("one",)),
        ("USE FOR: one. FOR SINGLE OPERATIONS: two", ("one",)),
        ('USE FOR: say "a", “b” and c', ("a", "b")),
        ("Do not use for: one. Use for: two", ("two",)),
        ("Nothing listed", ()),
        ("USE FOR: , ,", ()),
    ],
)
def test_phrases(description: str, expected: tuple[str, ...]) -> None:
    assert phrases(description) == expected


def test_tokens() -> None:
    assert tokens("The DÉPLOI-ment of été x2y ab é 部 ½½ don't") == [
        "déploi",
        "ment",
        "été",
        "x2y",
        "部",
        "½½",
        "don",
    ]


def test_keywords_leave_out_what_the_skill_is_not_for() -> None:
    skill = read_skill('---\nname: tool\ndescription: "good. do not use for: bad"\n---\nbody')
    assert skill.keywords == {"tool", "good", "body"}


def test_a_phrase_is_matched_in_parts_or_as_plain_text() -> None:
    skill = read_skill("---\nname: n1\ndescription: 'USE FOR: go on go, four'\n---\nzzz")
    # "go" and "on" are too short to count, so the first phrase has no words; "four" is inside "fourteen".
    assert relevance(skill, "fourteen days").score == 1.0
    assert relevance(skill, "please go on").phrase_score == 0.0


@pytest.mark.parametrize("front", ["", "\n", "# none yet\n", "\r\n# none yet\r\n", "~\n"])
def test_front_matter_that_is_empty_or_a_comment_loads(front: str) -> None:
    assert read_skill(f"---\n{front}---\nbody text").keywords == {"body", "text"}


@pytest.mark.parametrize(
    "text",
    [
        " \n\t",
        "---\nname: a\nname: b\n---\nbody text",
        "---\n- name\n---\nbody text",
        "---\nname: [a]\n---\nbody text",
        "---\nname: 'a\n---\nbody text",
        "---\nname: word\n",
        "a b c",
    ],
)
def test_a_skill_that_cannot_be_used(text: str) -> None:
    with pytest.raises(SkillTextError):
        read_skill(text)


def graded(root: Path, **config: Any) -> Any:
    grader = TriggerGrader.model_validate({"skill_path": "s", "mode": "positive", **config})
    return grader.grade(GradingContext(process_dir=root, prompt=config.pop("prompt", None)))


def test_create_errors_come_before_the_missing_task(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read"):
        graded(tmp_path)
    (tmp_path / "s").write_text("words of the skill")
    assert graded(tmp_path).score == 0


def test_the_threshold_is_inclusive_and_null_is_the_default(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("alpha beta gamma")
    context = GradingContext(process_dir=tmp_path, prompt="alpha beta gamma delta eps")
    for threshold, passed in ((None, True), (0.6, True), (0.61, False), (1, False)):
        grader = TriggerGrader.model_validate(
            {"skill_path": "s", "mode": "\tPOSITIVE\u00a0", "threshold": threshold}
        )
        assert grader.grade(context).passed is passed


def test_the_feedback_shows_on_which_side_of_the_threshold_it_is(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("alpha beta gamma")
    context = GradingContext(process_dir=tmp_path, prompt="alpha beta gamma delta eps")
    for threshold, shown in ((0.6, "0.60"), (0.5, "0.60"), (0.601, "0.60")):
        grader = TriggerGrader.model_validate({"skill_path": "s", "mode": "positive", "threshold": threshold})
        assert f"Relevance {shown}, threshold {threshold}" in grader.grade(context).feedback
    # One word of three: 0.333.
    context = GradingContext(process_dir=tmp_path, prompt="alpha delta eps")
    grader = TriggerGrader.model_validate({"skill_path": "s", "mode": "positive", "threshold": 0.332})
    assert grader.grade(context).feedback.startswith("Relevance 0.333")
