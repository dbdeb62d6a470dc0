"""The formats of `waza-lsp check` for other programs, and colours.

`sarif-2.1.0.schema.json` is the schema of OASIS for SARIF 2.1.0 (rtm.5), as Microsoft publishes it under the MIT licence in the npm
package `@microsoft/jest-sarif`.
"""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from waza_engine.model.findings import Finding, Rule, Severity
from waza_lsp.cli import main
from waza_lsp.cli.check.formats import as_github, as_junit, as_sarif
from waza_lsp.cli.check.report import CheckedFile, ReportedFinding, as_text, summary
from waza_lsp.syntax.text import Place, Span, Text

SARIF_SCHEMA = json.loads((Path(__file__).parent / "sarif-2.1.0.schema.json").read_text("utf-8"))
LINE = "    - typ: 你好 text"
SPAN = Span(Place(4, 6), Place(4, 9))


def file_with(
    message: str = "Unknown key 'typ'",
    severity: Severity = Severity.ERROR,
    name: str = "a/eval.yaml",
    span: Span = SPAN,
) -> CheckedFile:
    finding = Finding(Rule("unknown-key", "key that the format does not have"), (), message, severity)
    related = ((Span(Place(0, 0), Place(0, 4)), "First here"),)
    where = Text.of("\n" * 4 + LINE).range_json(span)
    return CheckedFile(
        name, "waza", "eval", (ReportedFinding(finding, span, where, LINE, ("Remove it",), related),)
    )


GOOD = CheckedFile("good.yaml", "waza", "task", ())


def sarif_of(*files: CheckedFile) -> Any:
    report = json.loads(as_sarif(files))
    jsonschema.Draft4Validator(SARIF_SCHEMA).validate(report)
    return report["runs"][0]


def test_sarif() -> None:
    run = sarif_of(file_with(), GOOD, file_with("Other", Severity.HINT, name="b ä%.yaml"))
    assert run["tool"]["driver"]["name"] == "waza-lsp"
    assert [it["id"] for it in run["tool"]["driver"]["rules"]] == ["unknown-key"]
    first, second = run["results"]
    assert (first["ruleId"], first["ruleIndex"], first["level"]) == ("unknown-key", 0, "error")
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a/eval.yaml", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 5, "startColumn": 7, "endLine": 5, "endColumn": 10}
    assert first["relatedLocations"][0]["message"] == {"text": "First here"}
    assert second["level"] == "note"
    assert second["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "b%20%C3%A4%25.yaml"


def test_sarif_without_findings_and_of_paths_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert sarif_of()["results"] == []
    inside, outside = str(tmp_path / "x.yaml"), "/elsewhere/y.yaml"
    places = [
        it["locations"][0]["physicalLocation"]
        for it in sarif_of(file_with(name=inside), file_with(name=outside))["results"]
    ]
    assert [it["artifactLocation"]["uri"] for it in places] == ["x.yaml", "file:///elsewhere/y.yaml"]


def test_the_schema_would_notice() -> None:
    report = json.loads(as_sarif([file_with()]))
    report["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft4Validator(SARIF_SCHEMA).validate(report)


def test_github() -> None:
    assert as_github([file_with(), GOOD]) == (
        "::error file=a/eval.yaml,line=5,endLine=5,title=unknown-key,col=7,endColumn=9::Unknown key 'typ'"
    )


def test_github_escapes() -> None:
    text = as_github([file_with("100%\r\nof: it, all", Severity.WARNING, name="a,b:c%.yaml")])
    assert text.startswith("::warning file=a%2Cb%3Ac%25.yaml,")
    assert text.endswith("::100%25%0D%0Aof: it, all")
    assert as_github([file_with("a\x1b[2J\x9b")]).endswith("::a\\u001b[2J\\u009b")


def test_github_gives_no_columns_across_lines() -> None:
    span = Span(Place(4, 6), Place(5, 0))
    assert as_github([file_with(severity=Severity.INFORMATION, span=span)]) == (
        "::notice file=a/eval.yaml,line=5,endLine=6,title=unknown-key::Unknown key 'typ'"
    )


def test_junit() -> None:
    text = as_junit([file_with(), GOOD, file_with("Doubtful \x00<&>", Severity.WARNING, name="b.yaml")])
    root = ET.fromstring(text)  # noqa: S314  # our own text
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("3", "1", "0")
    assert [(it.get("name"), it.get("tests"), it.get("failures")) for it in root] == [
        ("a/eval.yaml", "1", "1"),
        ("good.yaml", "1", "0"),
        ("b.yaml", "1", "0"),
    ]
    [failure] = root.iter("failure")
    assert (failure.get("type"), failure.get("message")) == ("unknown-key", "Unknown key 'typ'")
    assert failure.text == "a/eval.yaml:5:7: error[unknown-key] Unknown key 'typ'"
    [output] = root.iter("system-out")
    assert output.text == "b.yaml:5:7: warning[unknown-key] Doubtful <&>"


def test_colours_and_the_line_only_on_a_terminal() -> None:
    assert "\x1b" not in as_text([file_with()])
    span = Span(Place(4, 11), Place(4, 13))
    coloured = as_text([file_with(span=span)], colour=True)
    assert "\x1b[1ma/eval.yaml:5:12:\x1b[0m" in coloured
    assert "\x1b[2m[unknown-key]\x1b[0m" in coloured
    plain = re.sub(r"\x1b\[\d+m", "", coloured).split("\n")
    assert plain[1] == f"  5 | {LINE}"
    # Two characters that are two columns wide each.
    assert plain[2] == "    | " + " " * 11 + "^^^^"


def test_text_is_one_harmless_line_for_each_finding() -> None:
    text = as_text([file_with("a\nb\x1b[2J", name="x\x07.yaml")], quiet=True)
    assert text == "x\\u0007.yaml:5:7: error[unknown-key] a\\nb\\u001b[2J"
    text = as_text([file_with("##[error]x", name="::warning::x.yaml")], quiet=True)
    assert text == "\\u003a:warning::x.yaml:5:7: error[unknown-key] \\u0023#[error]x"


def test_the_sum() -> None:
    files = [
        file_with(severity=it) for it in (Severity.ERROR, Severity.ERROR, Severity.INFORMATION, Severity.HINT)
    ]
    assert summary(files) == "4 eval files checked: 2 errors, 1 information, 1 hint"
    assert summary([GOOD]) == "1 eval file checked: nothing to report"


@pytest.mark.parametrize("output", ["text", "json", "sarif", "github", "junit"])
def test_every_format_of_the_command(output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("eval.yaml").write_text("name: n\nskill: n\nconfig: {}\ntasks: []\nbad: 1\n", encoding="utf-8")
    result = CliRunner().invoke(main, ["check", "--format", output])
    assert result.exit_code == 1
    assert "unknown-key" in result.stdout
    assert result.stdout.endswith("\n")
    assert result.stderr == ""


def test_codes_are_links_on_terminals_that_show_them() -> None:
    page = "https://github.com/waza-lsp/waza-lsp/blob/main/docs/rules/unknown-key.md"
    linked = as_text([file_with()], quiet=True, links=True)
    assert f"error\x1b]8;;{page}\x1b\\[unknown-key]\x1b]8;;\x1b\\ Unknown" in linked
    assert "\x1b" not in as_text([file_with()], quiet=True)
