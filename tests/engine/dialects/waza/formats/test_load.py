"""Loading suites: what arrives, and what is passed over with a warning."""

from pathlib import Path

import pytest

from tests.engine.dialects.waza.suite_files import CONFIG, EVAL, TASK, load, refused, write
from waza_engine.dialects.waza.formats.loading.project_file import find_project
from waza_engine.lib.yaml.scalars import Scalar, plain
from waza_engine.model.suite import Hook, InputFile, Metric, Responder, TriggerPrompt
from waza_engine.project.load_suite import load_suite

EXAMPLES = sorted((Path(__file__).parents[5] / "examples").glob("*/eval.yaml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda it: it.parent.name)
def test_the_examples_load(path: Path) -> None:
    suite = load_suite(path, process_dir=path.parent)
    assert suite.tasks
    assert not [it for task in suite.tasks for it in (task.blocked, *task.warnings) if it]


def test_a_suite_has_what_its_files_say(tmp_path: Path) -> None:
    suite = load(
        tmp_path,
        eval=f"""\
        name: demo
        skill: note-taker
        {CONFIG}
        metrics:
          - {{name: trigger_accuracy, weight: 30, threshold: 0.9}}
          - {{name: efficiency, enabled: false}}
        hooks:
          before_task:
            - {{command: make fixtures, working_directory: scripts, exit_codes: [0, 3], error_on_fail: true}}
        graders:
          - {{type: text, name: polite, weight: 2, config: {{contains: [1e3]}}}}
          - {{type: llm, name: old, rubric: Be kind, weight: 0}}
        tasks: [tasks/*.yaml]
        """,
        task="""\
        id: 007
        name: A task
        description: About
        tags: [x, 1.0]
        timeout_seconds: 90
        inputs:
          prompt: Hello
          context: {lang: go, level: 3}
          follow_up_prompts: [And now?]
        expected:
          output_contains: [hi]
          output_not_contains: []
          outcomes: [{type: file}]
        graders:
          - {type: file, name: there, config: {must_exist: [a.txt]}}
        """,
    )
    [task] = suite.tasks
    assert (suite.dialect, suite.name, suite.skill, suite.directory) == (
        "waza",
        "demo",
        "note-taker",
        tmp_path,
    )
    assert suite.metrics == (Metric("trigger_accuracy", 30, 0.9),)
    assert suite.hooks == {"before_task": (Hook("make fixtures", "scripts", (0, 3), True),)}
    polite, old = suite.graders
    assert (polite.type, polite.name, polite.weight, polite.pointer) == ("text", "polite", 2, ("graders", 0))
    assert polite.config == {"contains": [Scalar("1e3", 1000)]}, "the config stays raw"
    assert (old.weight, old.extras) == (1.0, {"rubric": "Be kind"})
    assert (task.id, task.name, task.tags, task.timeout_seconds) == ("007", "A task", ("x", "1.0"), 90)
    assert task.context == {"lang": "go", "level": 3}
    assert task.follow_ups == ("And now?",)
    assert task.expected == {"output_contains": ("hi",)}
    assert [(it.name, it.pointer, it.path) for it in task.graders] == [
        ("there", ("graders", 0), tmp_path / "tasks/a.yaml")
    ]


def test_settings_are_taken_over(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        eval="""\
        name: demo
        skill: demo
        config:
          trials_per_task: 3.0
          timeout_seconds: 1e2
          executor: copilot-sdk
          parallel: yes
          max_workers: 3
          max_attempts: 0
          judge_model: j
          reasoning_effort: high
          group_by: model
          skill_directories: [skills/a, skills/b]
          disabled_skills: [b]
          required_skills: [a]
          mcp_servers: {azure: {command: npx, args: [-y, 1], extra: true}}
        tasks: [tasks/*.yaml]
        """,
    ).settings
    assert (settings.trials, settings.timeout_seconds, settings.parallel, settings.workers) == (
        3,
        100,
        True,
        3,
    )
    assert (settings.max_attempts, settings.judge_model, settings.reasoning_effort) == (1, "j", "high")
    assert settings.skill_directories == (str(tmp_path / "skills/a"),)
    assert settings.required_skills == ("a",)
    assert settings.mcp_servers == {"azure": {"command": "npx", "args": ["-y", "1"], "extra": True}}


@pytest.mark.parametrize("switch", ["skill_directories: [none, a]", 'disabled_skills: ["*"]'])
def test_skills_can_be_switched_off_altogether(tmp_path: Path, switch: str) -> None:
    config = CONFIG.replace("}", f", required_skills: [a], {switch}}}")
    settings = load(tmp_path, eval=EVAL.replace(CONFIG, config)).settings
    assert settings.skill_directories == ()
    assert settings.required_skills == ()


def test_tasks_come_in_glob_order_and_disabled_ones_are_dropped(tmp_path: Path) -> None:
    files = {
        "tasks/b.yaml": TASK.replace("id: a", "id: b"),
        "tasks/.c.yaml": TASK.replace("id: a", "id: c"),
        "tasks/d.yaml": TASK.replace("id: a", "id: d\nenabled: no"),
        "more/deep/e.yaml": TASK.replace("id: a", "id: e"),
        "eval.yaml": EVAL.replace("[tasks/*.yaml]", "[more/**/*.yaml, ./tasks/*.yaml, none/*.yaml]"),
        "tasks/a.yaml": TASK,
    }
    suite = load_suite(write(tmp_path, files), process_dir=tmp_path)
    assert [it.id for it in suite.tasks] == ["e", "c", "a", "b"]
    assert len(suite.warnings) == 1
    assert "no file matches 'none/*.yaml'" in suite.warnings[0]


def test_a_file_matched_twice_is_two_tasks_and_a_warning(tmp_path: Path) -> None:
    suite = load(tmp_path, eval=EVAL.replace("[tasks/*.yaml]", "[tasks/*.yaml, tasks/a.yaml]"))
    assert [it.id for it in suite.tasks] == ["a", "a"]
    assert "Two tasks have the id 'a'" in suite.warnings[0]


def test_inline_tasks_and_old_forms_of_lists_are_loaded(tmp_path: Path) -> None:
    suite = load(
        tmp_path,
        eval=f"""\
        name: demo
        skill: demo
        {CONFIG}
        tasks:
          - id: inline
            inputs: {{prompt: Hi}}
            graders: [{{type: text, name: x, config: {{}}}}]
          - task_files: [tasks/*.yaml]
          - include: tasks/a.yaml
          - "include: tasks/a.yaml"
        """,
    )
    assert [it.id for it in suite.tasks] == ["inline", "a", "a", "a"]
    inline = suite.tasks[0]
    assert (inline.path, inline.pointer) == (tmp_path / "eval.yaml", ("tasks", 0))
    assert inline.graders[0].pointer == ("tasks", 0, "graders", 0)


def test_graders_under_expected_are_run_with_the_task(tmp_path: Path) -> None:
    text = TASK + "expected: {graders: [eval-level-name, {type: text, name: x, config: {contains: [a]}}]}\n"
    [task] = load(tmp_path, task=text).tasks
    assert [(it.name, it.pointer) for it in task.graders] == [("x", ("expected", "graders", 1))]


def test_input_files_come_from_the_fixtures_or_the_task(tmp_path: Path) -> None:
    [task] = load(
        tmp_path,
        task="""\
        id: a
        inputs:
          prompt: Read ./notes.txt
          files:
            - path: sub/notes.txt
            - plain.txt
            - {path: new/inline.txt, content: "one\\n"}
        """,
        **{"fixtures/sub/notes.txt": "notes", "fixtures/plain.txt": "plain"},
    ).tasks
    assert task.files == (
        InputFile("sub/notes.txt", b"notes"),
        InputFile("plain.txt", b"plain"),
        InputFile("new/inline.txt", b"one\n"),
    )
    assert (task.warnings, task.blocked) == ((), "")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("{path: missing.txt}", "cannot be read"),
        ("{path: /etc/hostname}", "is absolute"),
        ("{path: ../secret.txt}", "contains '..'"),
        ("{path: a..b.txt}", "contains '..'"),
        ("{path: link.txt}", "is outside"),
        ("{content: text without a place}", "has content but no path"),
        ("{path: folder}", "cannot be read"),
        ('{path: missing.txt, content: ""}', "cannot be read"),
    ],
)
def test_an_input_file_that_cannot_be_had_is_left_out_with_a_warning(
    tmp_path: Path, entry: str, words: str
) -> None:
    (tmp_path / "fixtures/folder").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "fixtures/link.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "fixtures/a..b.txt").write_text("x")
    [task] = load(tmp_path, task=f"id: a\ninputs: {{prompt: x, files: [{entry}]}}\n").tasks
    assert task.files == ()
    assert words in task.warnings[0]


def test_a_task_may_have_its_own_fixtures_and_skills(tmp_path: Path) -> None:
    [task] = load(
        tmp_path,
        task="id: a\ncontext_dir: own\nskill_directories: [s]\ninputs: {prompt: x, files: [f.txt]}\n",
        **{"own/f.txt": "own", "fixtures/f.txt": "usual"},
    ).tasks
    assert task.files == (InputFile("f.txt", b"own"),)
    assert task.skill_directories == (str(tmp_path / "s"),)


def test_a_fixture_is_copied_whole_and_links_in_it_are_not(tmp_path: Path) -> None:
    write(tmp_path, {"project/a/b.txt": "b", "project/c.txt": "c"})
    (tmp_path / "project/link").symlink_to(tmp_path / "project/c.txt")
    [task] = load(tmp_path, task="id: a\ninputs: {prompt: ./x, context: {fixture: project}}\n").tasks
    assert task.files == (InputFile("c.txt", b"c"), InputFile("a/b.txt", b"b"))
    assert task.blocked == ""


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ("{prompt: x, context: {fixture: nope}}", "there is no 'nope'"),
        ("{prompt: x, context: {fixture: ../up}}", "inside the eval's directory"),
        ("{prompt: x, context: {fixture: .}}", "inside the eval's directory"),
        ("{prompt: x, context: {fixture: [a]}}", "must be a path"),
        ("{prompt: Look at ../there}", "the workspace is empty"),
    ],
)
def test_what_makes_a_task_impossible_is_known_before_the_run(
    tmp_path: Path, inputs: str, words: str
) -> None:
    [task] = load(tmp_path, task=f"id: a\ninputs: {inputs}\n").tasks
    assert words in task.blocked


def test_an_instruction_file_is_put_into_the_workspace_or_blocks_the_task(tmp_path: Path) -> None:
    config = CONFIG.replace("}", ", instruction_files: [AGENTS.md]}")
    [task] = load(tmp_path, eval=EVAL.replace(CONFIG, config), **{"fixtures/AGENTS.md": "Be kind"}).tasks
    assert task.files == (InputFile("AGENTS.md", b"Be kind"),)
    (tmp_path / "fixtures/AGENTS.md").unlink()
    [task] = load_suite(tmp_path / "eval.yaml", process_dir=tmp_path).tasks
    assert "AGENTS.md" in task.blocked


def test_a_prompt_can_stand_in_its_own_file(tmp_path: Path) -> None:
    text = "id: a\ninputs: {prompt_file: prompts/p.md}\n"
    [task] = load(tmp_path, task=text, **{"tasks/prompts/p.md": "From a file {{x}}\n"}).tasks
    assert task.prompt == "From a file {{x}}\n"


def test_a_responder_belongs_to_its_task(tmp_path: Path) -> None:
    text = "id: a\ninputs: {prompt: x, responder: {instructions: i, max_followups: 1}}\n"
    [task] = load(tmp_path, task=text).tasks
    assert (task.responder, task.warnings) == (Responder("i", 1), ())


def test_trigger_tests_beside_the_eval_belong_to_it(tmp_path: Path) -> None:
    suite = load(
        tmp_path,
        **{
            "trigger_tests.yaml": """\
            skill: demo
            should_trigger_prompts: [{prompt: yes please, confidence: medium}]
            should_not_trigger_prompts: [{prompt: no, reason: because}]
            """
        },
    )
    assert suite.triggers is not None
    assert suite.triggers.prompts == (
        TriggerPrompt("yes please", True, "medium"),
        TriggerPrompt("no", False, "high"),
    )


def test_the_project_file_is_found_above_and_changes_the_run(tmp_path: Path) -> None:
    project = """\
    defaults: {judgeModel: strict, parallel: true, workers: 7, model: not-for-runs}
    paths: {skills: my-skills}
    graders: {programTimeout: 99}
    """
    write(tmp_path, {".waza.yaml": project, "my-skills/one/SKILL.md": "", "my-skills/two/readme.md": ""})
    suite = write(tmp_path / "evals/demo", {"eval.yaml": EVAL, "tasks/a.yaml": TASK})
    settings = load_suite(suite, process_dir=tmp_path / "evals").settings
    assert (settings.judge_model, settings.parallel, settings.workers, settings.model) == (
        "strict",
        True,
        7,
        "m",
    )
    assert settings.skill_directories == (str(tmp_path / "my-skills/one"),)
    assert settings.program_timeout == 99


def test_a_project_file_with_a_mistake_is_ignored_with_a_warning(tmp_path: Path) -> None:
    suite = load(tmp_path, **{".waza.yaml": "defaults: {judgeModel: x}\ngradrs: {}\n"})
    assert suite.settings.judge_model == ""
    assert "gradrs" in suite.warnings[0]


def test_a_null_config_stays_what_the_file_has(tmp_path: Path) -> None:
    text = TASK + "graders:\n  - {type: text, name: a, config: null}\n  - {type: text, name: b}\n"
    [task] = load(tmp_path, task=text).tasks
    assert [plain(it.config) for it in task.graders] == [None, None]


@pytest.mark.parametrize("written", ["", "null", "~"])
def test_a_time_limit_of_a_task_that_is_empty_is_none(tmp_path: Path, written: str) -> None:
    limits = f"timeout_seconds: {written}\nfirst_event_timeout_seconds: {written}\n"
    [empty] = load(tmp_path, task=TASK + limits).tasks
    [absent] = load(tmp_path, task=TASK).tasks
    assert empty == absent


def test_empty_items_count_in_the_places_of_the_others(tmp_path: Path) -> None:
    grader = "{type: text, name: g, config: {contains: [a]}}"
    suite = load(
        tmp_path,
        eval=EVAL.replace("[tasks/*.yaml]", "[~, tasks/*.yaml, ~, {id: b, inputs: {prompt: x}}]")
        + f"graders: [~, {grader}, ~, {grader}]\n",
        task=TASK
        + f"graders: [~, {grader}]\ncheckpoints: [~, {{after_turn: 1, graders: [~, ~, {grader}]}}]\n",
    )
    first, inline = suite.tasks
    assert [it.pointer for it in suite.graders] == [("graders", 1), ("graders", 3)]
    assert [it.pointer for it in first.graders] == [("graders", 1)]
    assert [it.pointer for it in first.checkpoints[0].graders] == [("checkpoints", 1, "graders", 2)]
    assert inline.pointer == ("tasks", 3)
    error = refused(tmp_path, eval=EVAL + "graders: [~, {type: text, name: 1, wight: 2}]\n")
    assert error.pointer == ("graders", 1, "wight")
    mocks = "command_mocks: [~, {name: a/b, responses: [{args: [a]}]}]\n"
    error = refused(tmp_path, task=TASK + mocks)
    assert error.pointer == ("command_mocks", 1, "name")


@pytest.mark.parametrize(("written", "is_on"), [("", True), ("~", True), ("null", True), ("off", False)])
def test_what_is_on_by_default_is_on_where_nothing_is_said(tmp_path: Path, written: str, is_on: bool) -> None:
    text = EVAL.replace("model: m", f"model: m, inject_skill_body: {written}")
    suite = load(tmp_path, eval=text, task=TASK + f"enabled: {written}\n", **{"tasks/b.yaml": TASK})
    assert len(suite.tasks) == 1 + is_on
    assert suite.settings.inject_skill_body is is_on


def test_paths_are_cleaned_before_they_are_looked_up(tmp_path: Path) -> None:
    task = "id: a\ninputs: {prompt_file: no/../p.md, files: [{path: no/../f.txt}]}\ninstruction_files: [no/../i.md]\n"
    files = {"tasks/p.md": "Hi", "fixtures/f.txt": "f", "fixtures/i.md": "i"}
    [loaded] = load(tmp_path, task=task, **files).tasks
    assert (loaded.prompt, loaded.blocked, loaded.warnings) == ("Hi", "", ())
    assert [it.target for it in loaded.files] == ["f.txt", "i.md"]


def test_an_empty_setting_of_the_project_keeps_the_default(tmp_path: Path) -> None:
    text = "paths: {results: '', skills: ~}\ngraders: {programTimeout: 0}\ncache: {enabled: true, dir: ''}\n"
    (tmp_path / ".waza.yaml").write_text(text, encoding="utf-8")
    settings = find_project(tmp_path).settings
    assert (settings.paths.results, settings.paths.skills) == ("results/", "skills/")
    assert (settings.graders.program_timeout, settings.cache.dir, settings.cache.enabled) == (
        30,
        ".waza-cache",
        True,
    )
