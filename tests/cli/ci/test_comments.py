"""The comment on GitHub: which one is updated, what hinders it, and what a stranger's artifact cannot do."""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.cli.ci.github import REPOSITORY, TOKEN, FakeGitHub, serving
from waza_lsp.cli import main
from waza_lsp.cli.ci.github_api import ApiError, GitHub

HEAD, MARK = "a" * 40, "<!-- waza-lsp:waza-lsp -->"
NAME = "waza-lsp-evals"


@pytest.fixture
def github(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGitHub]:
    made = FakeGitHub()
    made.add_pull(12, HEAD)
    with serving(made):
        variables = {
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_TOKEN": TOKEN,
            "GITHUB_API_URL": made.url,
            "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        }
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    _write_event(tmp_path, {"pull_request": {"number": 12, "head": {"sha": HEAD}, "base": {"ref": "main"}}})
    made = tmp_path / "evals"
    made.mkdir()
    (made / "summary.json").write_text(_summary(), encoding="utf-8")
    return made


def _write_event(folder: Path, event: object) -> None:
    (folder / "event.json").write_text(json.dumps(event), encoding="utf-8")


def _summary(**values: object) -> str:
    return json.dumps({"version": 1, "number": 12, "head": HEAD, "eval_count": 3, **values})


def _archive(**files: str | bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/"), content)
    return packed.getvalue()


def _comment(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["ci", "comment", *map(str, arguments)])


def test_the_comment_is_found_on_a_later_page(github: FakeGitHub, folder: Path) -> None:
    github.page_size = 2
    for number in range(7):
        github.add_comment(f"Comment {number}")
    github.add_comment(f"{MARK}\nby a person")
    own = github.add_comment(f"{MARK}\nold", "Bot")
    github.add_comment("<!-- waza-lsp:other -->\nof another workflow", "Bot")
    assert (result := _comment(folder)).exit_code == 0, result.output
    assert "is updated" in result.stderr
    assert github.comments[own]["body"].startswith(f"{MARK}\n## waza-lsp: ✅ passed")
    assert len(github.comments) == 10
    assert "up to date" in _comment(folder).stderr


def test_a_comment_that_is_deleted_meanwhile_is_written_again(github: FakeGitHub, folder: Path) -> None:
    github.add_comment(f"{MARK}\nold", "Bot")
    github.failures = [("PATCH", "comments", 404, {})]
    assert "has a comment" in _comment(folder).stderr
    assert len(github.comments) == 2


@pytest.mark.parametrize(
    "failure",
    [
        (500, {}),
        (503, {}),
        (429, {"Retry-After": "2"}),
        (403, {"X-RateLimit-Remaining": "0"}),
        (403, {"Retry-After": "9"}),
    ],
)
def test_a_busy_server_is_asked_again(github: FakeGitHub, failure: tuple[int, dict[str, str]]) -> None:
    waited: list[float] = []
    api = GitHub(github.url, "https://github.com", REPOSITORY, TOKEN, waited.append)
    github.failures = [("GET", "pulls", *failure)] * 2
    assert api.patiently(lambda: api.get("pulls/12"))["number"] == 12
    assert len(waited) == 2
    assert all(0 < it <= 60 for it in waited)
    github.failures = [("GET", "pulls", *failure)] * 9
    with pytest.raises(ApiError, match=f"GitHub answered {failure[0]}"):
        api.patiently(lambda: api.get("pulls/12"))


def test_a_missing_right_is_no_reason_to_wait(github: FakeGitHub, folder: Path) -> None:
    github.failures = [("POST", "comments", 403, {})]
    result = _comment(folder)
    assert result.exit_code == 2
    assert "GitHub answered 403" in result.stderr
    assert "docs/ci.md" in result.stderr
    assert TOKEN not in result.output


@pytest.mark.parametrize(
    ("number", "values", "said"),
    [
        (12, {"state": "closed"}, "is not open"),
        (12, {"head": "b" * 40}, "is not at the commit aaaaaaaa"),
        (12, {"repository": "other/place"}, "is not at the commit"),
    ],
)
def test_other_pull_requests_get_no_comment(
    github: FakeGitHub, folder: Path, number: int, values: dict[str, str], said: str
) -> None:
    github.add_pull(number, **{"head": HEAD, **values})
    result = _comment(folder)
    assert (result.exit_code, said in result.stderr) == (0, True), result.output
    assert not github.comments


def test_a_link_leads_to_the_own_repository_only(github: FakeGitHub, folder: Path) -> None:
    for link in ("https://evil.example/actions/", f"https://github.com/{REPOSITORY}/actions/) [x](//e"):
        _comment(folder, "--link", link)
        assert "Traces" not in github.bodies[0]
    _comment(folder, "--link", f"https://github.com/{REPOSITORY}/actions/runs/1/artifacts/2")
    assert (
        "[Traces and reports of this run](https://github.com/someone/evals/actions/runs/1/"
        in github.bodies[0]
    )


def _finished(tmp_path: Path, kind: str = "pull_request") -> None:
    _write_event(tmp_path, {"workflow_run": {"id": 5, "head_sha": HEAD, "event": kind}})


def test_the_second_workflow_comments_on_the_pull_request_of_its_commit(
    github: FakeGitHub, tmp_path: Path
) -> None:
    _finished(tmp_path)
    github.add_pull(13, "b" * 40)
    # The artifact names somebody else's pull request.
    github.add_artifact(NAME, _archive(**{"summary.json": _summary(number=13)}), "x", run=5, repository=666)
    assert "Pull request 13 is not at the commit aaaaaaaa that was run" in _comment().stderr
    assert not github.comments
    github.add_artifact(NAME, _archive(**{"summary.json": _summary()}), "x", run=5, repository=666)
    assert (result := _comment()).exit_code == 0, result.output
    assert "actions/runs/5/artifacts/502" in github.bodies[0]
    _finished(tmp_path, "push")
    assert "no comment" in _comment().stderr


@pytest.mark.parametrize(
    ("archive", "said"),
    [
        (b"no archive", "cannot be unpacked"),
        (_archive(other="x"), "not a summary"),
        (_archive(**{"summary.json": "[" * 100_000}), "not a summary"),
        (_archive(**{"summary.json": b" " * 25_000_000}), "too large"),
        (_archive(**{"summary.json": _summary(version=2)}), "not a summary"),
        (_archive(**{"summary.json": _summary(number=0)}), "does not name a pull request"),
        (_archive(**{"summary.json": _summary(head="main; rm")}), "not a summary"),
        (_archive(**{"summary.json": _summary(problems=["x" * 700])}), "not a summary"),
        (_archive(**{"summary.json": _summary(tokens=float("nan"))}), "not a summary"),
        (_archive(**{f"{it}.txt": "" for it in range(5001)}), "more than 5,000 files"),
    ],
    ids=range(10),
)
def test_a_hostile_artifact_is_an_error_and_no_comment(
    github: FakeGitHub, tmp_path: Path, archive: bytes, said: str
) -> None:
    _finished(tmp_path)
    github.add_artifact(NAME, archive, "x", run=5, repository=666)
    result = _comment()
    assert (result.exit_code, said in result.stderr) == (2, True), result.output
    assert not github.comments


def test_runs_of_the_base_branch_come_from_the_branch_itself(github: FakeGitHub, tmp_path: Path) -> None:
    def fetch() -> str:
        arguments = ["ci", "base", str(tmp_path / "base"), "--branch", "main"]
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, result.output
        return result.stderr

    assert "has no runs of 'main' yet" in fetch()
    base = {
        "summary.json": _summary(is_base=True),
        "results/evals-a-0123.json": "{}",
        "../../outside.json": "x",
    }
    # The newest ones are: a fork's branch of this name, a pull request, another branch, and a broken one.
    github.page_size = 2
    github.add_artifact(NAME, _archive(**base, **{"results/../x.json": "x", "extra.py": "x"}), "main")
    github.add_artifact(NAME, _archive(**base, **{"results/evil.json": "x"}), "main", repository=666)
    github.add_artifact(NAME, _archive(**{"summary.json": _summary()}), "main")
    github.add_artifact(NAME, _archive(**base, **{"results/evil.json": "x"}), "topic")
    github.add_artifact(NAME, b"broken", "main")
    assert "Fetched 1 run of 'main'" in fetch()
    files = sorted(it.relative_to(tmp_path).as_posix() for it in tmp_path.rglob("*") if it.is_file())
    assert files == ["base/results/evals-a-0123.json", "base/summary.json"]


def test_without_a_workflow_the_commands_say_what_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    for it in ("GITHUB_REPOSITORY", "GITHUB_TOKEN", "GITHUB_EVENT_PATH"):
        monkeypatch.delenv(it, raising=False)
    result = _comment(".")
    assert (result.exit_code, "GITHUB_TOKEN" in result.stderr) == (2, True)
    assert _comment(".", "--key", "--> x").exit_code == 2
