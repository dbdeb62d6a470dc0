"""Completion in vally eval specs, one situation per test."""

import pytest

from tests.behaviour.completion_harness import check_accepted, check_labels, check_nothing, completions_at

HEAD = "name: x\nstimuli:\n  - name: a\n    prompt: p\n"
GRADERS = f"{HEAD}    graders:\n"
TAIL = "stimuli:\n  - name: a\n    prompt: p\n"


def test_the_keys_of_a_new_spec_begin_with_what_is_needed() -> None:
    check_labels(
        "¦", "x.vally.yaml", first=["stimuli"], has=["name", "type", "tags", "environment", "defaults"]
    )


def test_keys_that_are_there_are_not_offered_again() -> None:
    check_labels(f"{HEAD}¦", has=["defaults", "scoring", "type"], lacks=["name", "stimuli"])


def test_a_key_between_two_others() -> None:
    check_labels(f"name: x\n¦\n{TAIL}", has=["defaults", "environment"], lacks=["name", "stimuli"])


def test_the_old_name_of_defaults_is_not_offered() -> None:
    check_labels(f"¦\n{TAIL}", has=["defaults"], lacks=["config"])


def test_the_old_name_is_not_offered_beside_the_new_one() -> None:
    check_labels(f"defaults: {{runs: 1}}\n¦\n{TAIL}", lacks=["defaults", "config"])


def test_a_key_that_is_begun_is_replaced() -> None:
    check_accepted(
        f"sco¦\n{TAIL}", "scoring", f"scoring:\n  weights:\n{TAIL}".replace("  weights:\n", "  \n")
    )


def test_a_key_that_has_its_colon_gets_no_second_one() -> None:
    check_accepted(f"def¦aults:\n  runs: 1\n{TAIL}", "scoring", f"scoring:\n  runs: 1\n{TAIL}")


def test_the_keys_of_a_stimulus() -> None:
    check_labels(
        f"{HEAD}    ¦\n",
        has=["graders", "rubric", "constraints", "environment", "tags", "golden_patch"],
        lacks=["name", "prompt", "stimuli", "turns"],
    )


def test_keys_that_vally_refuses_are_not_offered() -> None:
    assert {"timeout", "runs", "config"}.isdisjoint(completions_at(f"{HEAD}    ¦\n").labels)


def test_of_two_ways_only_one_is_offered() -> None:
    check_labels(f"{HEAD}    golden_patch:\n      ¦\n", has=["path", "inline"])
    check_labels(f"{HEAD}    golden_patch:\n      path: a.patch\n      ¦\n", lacks=["path", "inline"])


def test_a_new_stimulus() -> None:
    check_labels(f"{HEAD}  - ¦\n", first=["name"], has=["prompt", "turns", "graders"])


def test_a_stimulus_in_an_empty_list() -> None:
    check_labels("name: x\nstimuli:\n  ¦\n", only=["- name, prompt"])


def test_the_keys_of_constraints_after_a_comment() -> None:
    check_labels(
        f"{HEAD}    constraints:\n      # what must not happen\n      ¦\n",
        has=["max_turns", "max_tokens", "max_duration", "expect_tools", "reject_skills"],
        lacks=["name", "graders"],
    )


@pytest.mark.parametrize(
    ("kind", "config"),
    [
        ("output-contains", "substring: deploy"),
        ("output-not-contains", "substring: deploy"),
        ("output-matches", "pattern: (?i)deployed to https?://\\S+"),
        ("file-exists", "path: dist/index.html"),
        ("file-contains", "path: README.md\n          value: Installation"),
        ("wall-time", "max: 120s"),
        ("token-budget", "max: 50000"),
        ("run-command", "command: npm test"),
        ("program", "program: node"),
    ],
)
def test_a_skeleton_has_the_required_options_only(kind: str, config: str) -> None:
    found = completions_at(f"{GRADERS}      - ¦")
    lines = found.applied(found.item(f"type: {kind}")).removeprefix(GRADERS).rstrip().split("\n")
    assert lines[:2] == [f"      - type: {kind}", "        config:"]
    keys = [it.split(":")[0].strip() for it in lines[2:]]
    assert keys == [it.split(":")[0].strip() for it in config.split("\n")]


@pytest.mark.parametrize("kind", ["completed", "exit-success", "diff-empty"])
def test_a_type_without_required_options_stands_alone(kind: str) -> None:
    check_accepted(f"{GRADERS}      - ¦", f"type: {kind}", f"{GRADERS}      - type: {kind}")


def test_a_judge_begins_with_its_instructions() -> None:
    check_accepted(
        f"{GRADERS}      - ¦",
        "type: prompt",
        f"{GRADERS}      - type: prompt\n        config:\n          prompt: Does the answer name the root cause?",
    )
    check_accepted(
        f"{GRADERS}      - ¦",
        "type: panel",
        f"{GRADERS}      - type: panel\n        config:\n          models:\n            - claude-sonnet-4.6",
    )


def test_a_grader_in_a_list_at_the_column_of_its_key() -> None:
    check_labels(
        "stimuli:\n- name: a\n  prompt: p\n  graders:\n  - ¦\n", first=["type"], has=["type: completed"]
    )


def test_a_grader_below_an_empty_list() -> None:
    check_labels(f"{GRADERS}      ¦\n", has=["- type: completed"], lacks=["- type: pairwise"])


def test_every_type_has_its_own_line() -> None:
    found = check_labels(f"{GRADERS}      - type: ¦\n", has=["output-matches", "skill-invocation", "panel"])
    texts = [str((it.label_details and it.label_details.description) or it.detail) for it in found.items]
    assert len(set(texts)) > len(texts) // 2


def test_a_type_that_is_begun_is_replaced_whole() -> None:
    check_accepted(
        f"{GRADERS}      - type: out¦put\n", "output-matches", f"{GRADERS}      - type: output-matches\n"
    )


def test_a_type_in_quotes_keeps_them() -> None:
    check_accepted(
        f"{GRADERS}      - type: 'file-¦'\n", "file-exists", f"{GRADERS}      - type: 'file-exists'\n"
    )


def test_the_options_of_a_type_that_stands_below() -> None:
    check_labels(
        f"{GRADERS}      - config:\n          ¦\n        type: file-matches\n",
        first=["path", "pattern"],
        lacks=["substring"],
    )


def test_options_that_are_there_are_not_offered_again() -> None:
    check_labels(
        f"{GRADERS}      - type: run-command\n        config:\n          command: npm test\n          ¦\n",
        has=["args", "timeout"],
        lacks=["command"],
    )


def test_options_in_flow_style() -> None:
    check_labels(
        f"{GRADERS}      - type: file-contains\n        config: {{path: a, ¦}}\n",
        first=["value"],
        lacks=["path"],
    )


def test_the_keys_of_an_entry_in_flow_style() -> None:
    check_labels(
        f"{GRADERS}      - {{type: wall-time, ¦}}\n", first=["config"], has=["turn", "name"], lacks=["type"]
    )


@pytest.mark.parametrize(
    ("lines", "has"),
    [
        (
            "      - type: prompt\n        config:\n          scoring: ¦\n",
            ["binary", "scale_1_5", "scale_1_10"],
        ),
        ("      - type: panel\n        config:\n          aggregation: ¦\n", ["mean", "median", "majority"]),
        (
            "      - type: prompt\n        config:\n          evidence:\n            - ¦\n",
            ["trajectory", "diff"],
        ),
        ("      - type: output-contains\n        config:\n          case_sensitive: ¦\n", ["true", "false"]),
        ("      - type: output-contains\n        config: {substring: a, negate: ¦}\n", ["true", "false"]),
    ],
)
def test_values_of_options(lines: str, has: list[str]) -> None:
    check_labels(GRADERS + lines, has=has)


@pytest.mark.parametrize(
    "lines",
    [
        "defaults:\n  timeout: 30¦\n",
        "defaults: {timeout: 30¦}\n",
        "defaults:\n  timeout: 30¦  # for each trial\n",
        "environment:\n  mcpServers:\n    m:\n      timeout: 30¦\n",
    ],
)
def test_a_number_becomes_a_duration(lines: str) -> None:
    check_labels(f"{lines}{TAIL}", has=["30s", "30m", "30h", "30ms"])


def test_a_duration_of_a_grader_and_of_a_constraint() -> None:
    check_labels(f"{GRADERS}      - type: wall-time\n        config: {{max: 2¦}}\n", has=["2s", "2m"])
    check_labels(f"{HEAD}    constraints:\n      max_duration: 2¦\n", has=["2s", "2m"])


def test_a_duration_that_is_not_begun_is_an_example() -> None:
    check_labels(f"defaults:\n  timeout: ¦\n{TAIL}", has=["300s"])


@pytest.mark.parametrize(
    "line",
    [
        "environment:\n  skills:\n    - skills/de¦\n",
        "agent_environment:\n  skills: [skills/de¦]\n",
        "environment:\n  skills:\n    - 'skills/de¦'\n",
        "grading_environment:\n  files:\n    - src: skills/de¦\n",
    ],
)
def test_paths_from_the_folder_of_the_spec(line: str) -> None:
    check_labels(f"{line}{TAIL}", only=["skills/deploy/"], files=["skills/deploy/SKILL.md", "eval.yaml"])


def test_a_reference_answer_is_a_file() -> None:
    check_labels(
        f"{HEAD}    golden_patch:\n      path: gol¦\n",
        only=["golden/"],
        files=["golden/a.patch", "eval.yaml"],
    )


def test_the_weights_are_by_type() -> None:
    check_labels(
        f"{GRADERS}      - type: prompt\n      - type: wall-time\nscoring:\n  weights:\n    prompt: 1\n    ¦\n",
        only=["wall-time"],
    )


def test_the_keys_of_files_and_servers() -> None:
    check_labels(f"environment:\n  files:\n    - ¦\n{TAIL}", first=["src", "dest"])
    check_labels(
        f"environment:\n  mcpServers:\n    docs:\n      ¦\n{TAIL}",
        has=["type", "command", "args", "env", "timeout"],
    )
    check_labels(f"environment:\n  git:\n    ¦\n{TAIL}", has=["source", "ref"])


def test_an_executor_with_settings() -> None:
    check_labels(f"defaults:\n  executor:\n    ¦\n{TAIL}", has=["name", "config"])
    check_labels(f"defaults:\n  executor:\n    name: ¦\n{TAIL}", has=["copilot-sdk", "mock"])


def test_the_keys_of_a_tool_call() -> None:
    check_labels(
        f"{GRADERS}      - type: tool-calls\n        config:\n          required:\n            - ¦\n",
        first=["name"],
        has=["command", "path", "args", "result", "min_count", "at_step"],
    )


def test_broken_text_above_does_not_matter() -> None:
    check_labels(
        'name: "x\nstimuli:\n  - name: a\n    prompt: p\n    graders:\n      - type: completed\n        ¦\n',
        has=["name"],
    )
    check_labels(
        f"{GRADERS}      - type: wall-time\n        config:\n          ¦\n      - type: [\n", has=["max"]
    )


def test_nothing_in_comments_and_prompts() -> None:
    check_nothing(f"{HEAD}    # gra¦\n")
    check_nothing("name: x\nstimuli:\n  - name: a\n    prompt: |\n      ask ¦\n")


def test_nothing_in_free_text() -> None:
    check_nothing(f"{HEAD}    rubric:\n      - Nam¦\n")


def test_the_keys_of_a_project() -> None:
    check_labels("paths:\n  ¦\n", ".vally.yaml", has=["skills", "evals", "results", "evalFilenames"])
    check_labels("suites:\n  ci:\n    ¦\n", ".vally.yaml", has=["description", "filter", "evals"])
    check_labels("environments:\n  app:\n    ¦\n", ".vally.yaml", has=["skills", "files", "mcpServers"])


def test_the_keys_of_an_experiment() -> None:
    name = "a.experiment.yaml"
    head = "name: x\nevals: [eval.yaml]\nbaseline: a\n"
    check_labels(
        f"{head}¦\nvariants: {{a: {{}}, b: {{}}}}\n",
        name,
        has=["vary", "overrides", "execution"],
        lacks=["evals"],
    )
    check_labels(f"{head}variants:\n  a:\n    ¦\n", name, only=["overrides", "environment"])
    check_labels(f"{head}variants:\n  a:\n    overrides:\n      ¦\n", name, has=["model", "runs", "timeout"])
    check_labels(f"{head}matrix:\n  model:\n    ¦\n", name, has=["path", "values"])


def test_line_ends_of_the_file_are_kept() -> None:
    found = completions_at(f"{GRADERS}      - ¦\n", line_end="\r\n")
    item = found.item("type: wall-time")
    assert "\r\n" in found.applied(item)


def test_what_an_experiment_varies() -> None:
    name = "a.experiment.yaml"
    head = "name: x\nevals: [eval.yaml]\n"
    check_labels(f"{head}vary:\n  - ¦\n", name, has=["/environment/skills", "/defaults/model"])
    check_labels(f"{head}matrix:\n  model:\n    path: ¦\n", name, has=["/defaults/model"])
    check_labels(
        f"{head}baseline: ¦\nvariants: {{with: {{}}, without: {{}}}}\n", name, only=["with", "without"]
    )
