"""`waza-lsp check --upgrade`: what a newer version of the runner breaks, and what `--fix` makes of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from waza_engine.recognition.recognise import releases
from waza_lsp.cli import main

OLD = """\
# our notes
name: notes
config:  # of all runs
  runs: 2   # twice
  executor: ""

stimuli:
  - name: a
    prompt: Summarise the notes.
    graders:
      - type: output-contains
        config: {substring: decision}  # é
"""
NEW = OLD.replace("config:  # of", "defaults:  # of").replace('  executor: ""\n', "")
FINE = NEW.replace("notes", "others")
NEWEST = releases("vally").newest


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write("old.eval.yaml", OLD)
    write("sub/fine.eval.yaml", FINE)
    return tmp_path


def write(name: str, text: str) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def read(name: str) -> str:
    return Path(name).read_bytes().decode()


def check(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["check", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def report(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(check("--format", "json", *arguments).stdout)
    return found


def test_what_breaks_is_listed_file_by_file_and_counted() -> None:
    result = check("--upgrade", f"vally@{NEWEST}")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == "old.eval.yaml: 2 places to change"
    assert lines[1].startswith("  3:1: [legacy-shape] ")
    assert lines[1].endswith(" Fix: Change to 'defaults'")
    assert lines[2].startswith("  5:13: [removed-form] ")
    assert f"vally {NEWEST} breaks 1 file (2 files of vally checked)" in lines
    assert "  removed-form: 1 place in 1 file, 1 with a mechanical fix" in lines
    assert result.stdout.endswith(f'\n[vally]\ntarget = "{NEWEST}"\n')


def test_without_a_version_the_newest_is_meant() -> None:
    assert report("--upgrade", "vally")["upgrade"] == {"dialect": "vally", "version": NEWEST}


def test_the_json_report() -> None:
    found = report("--upgrade", "vally@0.15")
    [file] = found["files"]
    assert (file["path"], file["target"], file["removed"]) == ("old.eval.yaml", "", [])
    assert [(it["code"], it["fix"]) for it in file["findings"]] == [
        ("legacy-shape", "Change to 'defaults'"),
        ("removed-form", "Remove 'executor'"),
    ]
    assert file["findings"][0]["range"]["start"] == {"line": 2, "character": 0}
    assert found["summary"] == {"files": 2, "current": 0, "broken": 1, "findings": 2, "mechanical": 2}
    assert {it["code"]: it["findings"] for it in found["causes"]} == {"legacy-shape": 1, "removed-form": 1}


@pytest.mark.parametrize(("version", "count"), [("0.13", 0), ("0.14", 1), ("0.15", 2), ("0.15.0", 2)])
def test_only_what_the_version_refuses_counts(version: str, count: int) -> None:
    assert report("--upgrade", f"vally@{version}")["summary"]["findings"] == count
    assert check("--upgrade", f"vally@{version}").exit_code == (1 if count else 0)


def test_what_the_present_version_refuses_already_does_not_count() -> None:
    write(".waza-lsp.toml", 'target = "0.14"\n[vally]\ntarget = "0.14"\n')
    found = report("--upgrade", "vally@0.15")
    [file] = found["files"]
    assert (file["target"], [it["code"] for it in file["findings"]]) == ("0.14", ["legacy-shape"])


def test_a_project_that_uses_the_version_already_is_left_alone() -> None:
    write("sub/.waza-lsp.toml", 'target = "0.19"\n[vally]\ntarget = "0.19"\n')
    write("sub/old.eval.yaml", OLD)
    found = report("--upgrade", "vally@0.16")
    assert [it["path"] for it in found["files"]] == ["old.eval.yaml"]
    assert found["summary"]["current"] == 2


def test_levels_of_the_project_do_not_hide_what_breaks() -> None:
    write(".waza-lsp.toml", '[rules]\nremoved-form = "off"\nlegacy-shape = "hint"\n')
    assert report("--upgrade", "vally")["summary"]["findings"] == 2


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_mechanical_fixes_keep_comments_and_layout(end: str) -> None:
    write("old.eval.yaml", OLD.replace("\n", end))
    shown = check("--upgrade", "vally", "--diff")
    assert (shown.exit_code, "+defaults:  # of all runs" in shown.stdout) == (1, True)
    assert read("old.eval.yaml") == OLD.replace("\n", end)
    result = check("--upgrade", "vally", "--fix")
    assert (result.exit_code, read("old.eval.yaml")) == (0, NEW.replace("\n", end))
    assert "old.eval.yaml: fixed 1 legacy-shape, 1 removed-form" in result.stderr
    assert report("--upgrade", "vally")["files"] == []
    assert check("--upgrade", "vally", "--diff").exit_code == 0


BOTH = OLD.replace('  executor: ""\n', "  model: m\n").replace("stimuli:", "defaults:\n  {}\n\nstimuli:")


def test_both_names_of_the_settings_are_merged() -> None:
    write("old.eval.yaml", BOTH.replace("  {}", "  model: m  # mine"))
    assert check("--upgrade", "vally", "--fix").exit_code == 0
    assert "defaults:\n  # of all runs\n  model: m  # mine\n  runs: 2   # twice\n" in read("old.eval.yaml")
    assert "\nconfig:" not in read("old.eval.yaml")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        (
            "# above\nconfig: # größe\n  # deep\n  runs: 2 # twice\n",
            "defaults:\n  # the model\n  model: 'a # b'\n",
            "defaults:\n  # above\n  # größe\n  # the model\n  model: 'a # b'\n  # deep\n  runs: 2 # twice\n",
        ),
        (
            "config: # settings\n  runs: 2 # twice\n",
            "defaults:\n  runs: 2\n",
            "defaults:\n  # settings\n  # twice\n  runs: 2\n",
        ),
        ("config: {runs: 2} # twice\n", "defaults: {model: m}\n", "# twice\ndefaults: {model: m, runs: 2}\n"),
        ("config: # none\n", "defaults:\n  runs: 2\n", "defaults:\n  # none\n  runs: 2\n"),
    ],
)
def test_merging_the_settings_keeps_all_comments(old: str, new: str, after: str, end: str) -> None:
    stimuli = NEW[NEW.index("stimuli:") :]
    write("old.eval.yaml", f"name: n\n{old}{new}{stimuli}".replace("\n", end))
    check("--fix")
    assert read("old.eval.yaml") == f"name: n\n{after}{stimuli}".replace("\n", end)


def test_settings_that_differ_are_left_to_a_person() -> None:
    text = BOTH.replace("  {}", "  model: another")
    write("old.eval.yaml", text)
    result = check("--upgrade", "vally", "--fix")
    assert (result.exit_code, read("old.eval.yaml")) == (1, text)
    assert "conflicting-keys" in result.stdout
    assert "No mechanical fix" in result.stdout


STIMULUS = NEW.replace(
    "    prompt: Summarise the notes.\n",
    """\
    prompt: Summarise the notes.
    category: smoke  # mine
    # who cares
    owners:
      - ana
      - 7
    expect_activation: false
    runs: 3
""",
)


def test_own_keys_of_a_stimulus_become_tags() -> None:
    write("old.eval.yaml", STIMULUS)
    assert check("--upgrade", "vally@0.16").exit_code == 0
    result = check("--upgrade", "vally@0.17", "--fix")
    assert result.exit_code == 0, result.output
    assert (
        read("old.eval.yaml")
        == NEW
        + """\
    tags:
      category: smoke  # mine
      # who cares
      owners:
        - ana
        - 7
      expect_activation: false
      runs: 3
"""
    )
    assert check("--upgrade", "vally").exit_code == 0


@pytest.mark.parametrize(
    ("key", "tags", "removed"),
    [
        ("config: {runs: 3}", "", "'stimuli.0.config: {'runs': 3}' was removed"),
        ("invariants: [{a: 1}]", "", "'stimuli.0.invariants: [{'a': 1}]' was removed"),
        ("area: old", "tags: {area: new}", "'stimuli.0.area: old' was removed"),
        ("area: same", "tags: {area: same}", "'stimuli.0.area: same' was removed"),
        ("note:", "", ""),
    ],
)
def test_what_no_tag_can_hold_is_removed_with_a_word(key: str, tags: str, removed: str) -> None:
    kept = f"    {tags}\n" if tags else ""
    write("old.eval.yaml", f"{NEW}{kept}    {key}\n")
    result = check("--upgrade", "vally", "--fix")
    assert (result.exit_code, read("old.eval.yaml")) == (0, NEW + kept)
    assert removed in result.stderr
    assert report("--upgrade", "vally")["files"] == []


def test_names_of_graders_become_slugs_and_weights_follow() -> None:
    entry = "      - {{type: output-contains, name: {}, config: {{substring: a}}}}\n"
    names = ["Names it", "names-it", "'Été_2'", "Ølæß", "日本", "x" * 61, "b", "b"]
    text = NEW + "".join(entry.format(it) for it in names) + "scoring: {weights: {Names it: 1.0}}\n"
    slugs = ["names-it-2", "names-it", "'ete-2'", "olaess", "grader", "x" * 60, "b", "b-2"]
    write("old.eval.yaml", text)
    assert check("--upgrade", "vally@0.15").exit_code == 0
    result = check("--upgrade", "vally@0.16", "--fix")
    assert result.exit_code == 0, result.output
    fixed = NEW + "".join(entry.format(it) for it in slugs) + "scoring: {weights: {names-it-2: 1.0}}\n"
    assert read("old.eval.yaml") == fixed
    assert check("--upgrade", "vally").exit_code == 0


@pytest.mark.parametrize("delivery", ["inline", "workspace"])
def test_the_delivery_of_evidence_is_removed(delivery: str) -> None:
    judge = "      - {{type: prompt, config: {{{}prompt: Good?}}}}\n"
    write("old.eval.yaml", NEW + judge.format(f"output_delivery: {delivery}, "))
    result = check("--upgrade", "vally", "--fix")
    # `workspace` is only deprecated, so it breaks nothing.
    after = judge.format("" if delivery == "inline" else "output_delivery: workspace, ")
    assert (result.exit_code, read("old.eval.yaml")) == (0, NEW + after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("config: {output_delivery: inline, prompt: Good?}\n", "config: {prompt: Good?}\n"),
        (
            "config:\n          # as text\n          output_delivery: inline  # all\n          prompt: Good?\n",
            "config:\n          # as text\n          # all\n          prompt: Good?\n",
        ),
    ],
)
def test_a_check_removes_the_inline_delivery(before: str, after: str) -> None:
    text = f"{NEW}      - type: prompt\n        "
    write("old.eval.yaml", text + before)
    assert check("--fix").exit_code == 0
    assert read("old.eval.yaml") == text + after


def test_the_filter_of_an_experiment_is_left_to_a_person() -> None:
    text = "name: e\nevals: [old.eval.yaml]\nfilter: {area: x}\nbaseline: a\nvariants: {a: {}, b: {}}\n"
    write("old.eval.yaml", NEW)
    write("e.experiment.yaml", text)
    result = check("--upgrade", "vally", "--fix")
    assert (result.exit_code, read("e.experiment.yaml")) == (1, text)
    assert "--eval-filter" in result.stdout


def test_a_guess_at_a_name_is_not_mechanical() -> None:
    write("old.eval.yaml", NEW + "    graderz: x\n")
    assert check("--upgrade", "vally", "--fix").exit_code == 0
    assert read("old.eval.yaml") == NEW + "    tags:\n      graderz: x\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "  - {name: a, prompt: p, category: x, owners: [a, b]}\n",
            "  - {name: a, prompt: p, tags: {category: x, owners: [a, b]}}\n",
        ),
        (
            "  - name: a\n    prompt: p\n    category: x\n    tags: {y: z}\n",
            "  - name: a\n    prompt: p\n    tags: {y: z, category: x}\n",
        ),
        (
            "  - name: a\n    prompt: p\n    category: x\n    tags:\n",
            "  - name: a\n    prompt: p\n    tags:\n      category: x\n",
        ),
        (
            "  - name: a\n    prompt: p\n    note: |\n      long # text\n    '日本': é\n",
            "  - name: a\n    prompt: p\n    tags:\n      note: |\n        long # text\n      日本: é\n",
        ),
        # An alias must stay below its anchor.
        (
            "  - name: a\n    prompt: p\n    own: &o [a]\n    other: *o\n",
            "  - name: a\n    prompt: p\n    own: &o [a]\n    tags:\n      other: *o\n",
        ),
    ],
)
def test_own_keys_of_a_stimulus_in_any_layout(before: str, after: str) -> None:
    write("old.eval.yaml", f"name: n\nstimuli:\n{before}")
    check("--upgrade", "vally", "--fix")
    assert read("old.eval.yaml") == f"name: n\nstimuli:\n{after}"
    [*files] = report("--upgrade", "vally")["files"]
    assert all(it["fix"] is None for file in files for it in file["findings"])


def test_an_empty_old_name_beside_the_new_one_goes() -> None:
    write("old.eval.yaml", NEW.replace("defaults:", "config: {}\ndefaults:"))
    assert check("--upgrade", "vally", "--fix").exit_code == 0
    assert read("old.eval.yaml") == NEW


def test_files_of_other_dialects_are_not_checked() -> None:
    found = report("--upgrade", "waza")
    assert found["summary"]["files"] == 0
    assert check("--upgrade", "waza").exit_code == 0


def test_standard_input_is_fixed_on_standard_output() -> None:
    result = CliRunner().invoke(
        main, ["check", "--upgrade", "vally", "--fix", "--stdin-filename", "old.eval.yaml"], input=OLD
    )
    assert (result.exit_code, result.stdout) == (0, NEW)


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ("vally@9.0", "vally 9.0 is unknown to this version of waza-lsp"),
        ("vally@new", "'new' is not a version"),
        ("vally@", "'' is not a version"),
        ("other@1.0", "'other' is not one of vally, waza"),
        ("valy", "'valy' is not one of vally, waza. Did you mean 'vally'?"),
        ("", "'' is not one of"),
    ],
)
def test_a_version_that_makes_no_sense(wanted: str, told: str) -> None:
    result = check("--upgrade", wanted)
    assert (result.exit_code, told in result.stderr) == (2, True), result.stderr


def test_other_formats_are_refused() -> None:
    result = check("--upgrade", "vally", "--format", "sarif")
    assert (result.exit_code, "--upgrade prints text or json, not sarif" in result.stderr) == (2, True)
