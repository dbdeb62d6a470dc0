"""Tests of rubrics: built in, files, and templates of the rubric-style prompt."""

from pathlib import Path

import pytest

from waza_engine.judges.rubrics.rubric import (
    RubricError,
    built_in_rubrics,
    load_rubric,
    parse_rubric,
    rubric_text,
)
from waza_engine.judges.rubrics.template import Normalization, template_score, templates

FRONT = "name: tone\nversion: 1.0.0\nscale: 1-5\ndescription: Friendly.\n"


def test_the_built_in_rubrics_are_complete() -> None:
    goldens = {name: len(it.goldens) for name, it in built_in_rubrics().items()}
    assert goldens == {
        "groundedness": 3,
        "helpfulness": 3,
        "instruction-following": 3,
        "refusal-correctness": 4,
        "tool-use-appropriateness": 4,
    }
    for it in built_in_rubrics().values():
        assert (it.version, it.scale, it.source) == ("1.0.0", "pass-fail", "builtin")
        assert {golden.expected for golden in it.goldens} == {"pass", "fail"}
        assert "pass" in it.body.lower()
        assert "fail" in it.body.lower()


def test_a_name_is_built_in_and_may_have_blanks_around_it(tmp_path: Path) -> None:
    assert load_rubric(" groundedness ", tmp_path).name == "groundedness"
    with pytest.raises(RubricError, match="Unknown rubric 'grounded'"):
        load_rubric("grounded", tmp_path)


@pytest.mark.parametrize("reference", ["tone.md", "./tone.md", "sub/../tone.md"])
def test_a_path_starts_at_the_process_directory(reference: str, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "tone.md").write_text(f"---\n{FRONT}---\n\n# Tone\n\n---\nBe nice.\n")
    rubric = load_rubric(reference, tmp_path)
    assert rubric.body == "# Tone\n\n---\nBe nice."
    assert rubric.facts()["name"] == "tone"
    assert rubric.facts()["scale"] == "1-5"


def test_the_home_directory_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    (tmp_path / "tone.md").write_text(f"---\n{FRONT}---\nBe nice.\n")
    assert load_rubric("~/tone.md", Path("/elsewhere")).name == "tone"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Be nice.", "does not start with front matter"),
        ("---\nname: tone\nBe nice.", "does not start with front matter"),
        (f"---\n{FRONT}---\n \n", "no text"),
        ("---\n[\n---\nBe nice.", "not valid YAML"),
        (f"---\n{FRONT}name: again\n---\nBe nice.", "not valid YAML"),
        ("---\n- a\n---\nBe nice.", "front matter"),
        *(
            (f"---\n{FRONT.replace('1.0.0', it)}---\nBe nice.", "version")
            for it in ("1.0", "01.0.0", "1.0.00", "1.0.0-01", "1.0.0-a..b", "v1.0.0", "१.0.0")
        ),
        (f"---\n{FRONT.replace('1-5', '1-10')}---\nBe nice.", "scale"),
        (f"---\n{FRONT.replace('Friendly.', '')}---\nBe nice.", "description"),
        (f"---\n{FRONT}goldens: [{{name: a, output: b, expected: maybe}}]\n---\nBe nice.", "expected"),
    ],
)
def test_a_file_that_is_no_rubric_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(RubricError, match=reason):
        parse_rubric(text, "x.md")


@pytest.mark.parametrize("version", ["0.0.10", "1.0.0-0.a.1-b", "1.0.0-0a+001.x"])
def test_semantic_versions(version: str) -> None:
    assert parse_rubric(f"---\n{FRONT.replace('1.0.0', version)}---\nBe nice.", "x.md").version == version


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RubricError, match=r"missing\.md cannot be read"):
        load_rubric("missing.md", tmp_path)


def test_there_are_eight_templates_and_each_tells_the_judge_its_member() -> None:
    scales = {name: it.score_normalization.scale for name, it in templates().items()}
    assert scales == {
        "intent_resolution": "1-5",
        "response_completeness": "1-5",
        "task_adherence": "violation",
        "task_completion": "boolean",
        "tool_call_accuracy": "1-5",
        "tool_input_accuracy": "0/1",
        "tool_output_utilization": "0/1",
        "tool_selection": "0/1",
    }
    for it in templates().values():
        assert f'"{it.score_normalization.member}"' in it.body()
        assert it.description in it.body()


@pytest.mark.parametrize(
    ("scale", "value", "score"),
    [
        ("1-5", 4, 0.75),
        ("1-5", 6, None),
        ("1-5", "4", None),
        ("1-5", True, None),
        ("0/1", 1, 1.0),
        ("0/1", 0.5, None),
        ("boolean", True, 1.0),
        ("boolean", False, 0.0),
        ("boolean", 1, None),
        ("violation", True, 0.0),
        ("violation", False, 1.0),
        ("violation", None, None),
    ],
)
def test_a_template_s_scale_gives_the_score(scale: str, value: object, score: float | None) -> None:
    normalization = Normalization.model_validate({"member": "n", "scale": scale})
    assert template_score(normalization, {"n": value}) == score


def test_a_directory_is_no_rubric_for_old_graders(tmp_path: Path) -> None:
    (tmp_path / "rubrics").mkdir()
    with pytest.raises(RubricError, match="is a directory"):
        rubric_text("rubrics", tmp_path)
    assert rubric_text("Score 5 if it is right.", tmp_path) == "Score 5 if it is right."
