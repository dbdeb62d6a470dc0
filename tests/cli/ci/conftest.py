"""A repository with two evals, and the jobs of its workflows."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.cli.ci.action import Job
from tests.cli.ci.github import OWN_ID, REPOSITORY, FakeGitHub, serving
from tests.repositories import Repository


@dataclass
class Project:
    """A repository on GitHub, with a pull request from the branch `topic`."""

    repository: Repository
    github: FakeGitHub
    folder: Path
    number: int = 12
    jobs: int = 0
    inputs: dict[str, str] = field(default_factory=dict)

    def push(self) -> Job:
        """Run the workflow of a push to main."""
        self.repository.git("switch", "-q", "main")
        job = self._job("push", {"ref": "refs/heads/main"})
        job.perform()
        self.repository.git("switch", "-q", "topic")
        return job

    def pull_request(
        self, *, is_fork: bool = False, branch: str = "topic", event: str = "pull_request"
    ) -> Job:
        """Commit, and run the workflow of the pull request."""
        head = self.repository.commit()
        self.github.add_pull(self.number, head)
        owner = "stranger/evals" if is_fork else REPOSITORY
        pull = {
            "number": self.number,
            "head": {"sha": head, "ref": branch, "repo": {"full_name": owner}},
            "base": {"sha": self.repository.git("rev-parse", "main"), "ref": "main"},
        }
        job = self._job(event, {"pull_request": pull})
        job.base_ref, job.ref_name = "main", f"{self.number}/merge"
        job.head_repository = 666 if is_fork else OWN_ID
        job.is_green = job.perform()
        return job

    def follow(self, first: Job, kind: str = "pull_request") -> Job:
        """Run the workflow that comments after another one."""
        head = self.repository.git("rev-parse", "HEAD")
        event = {"workflow_run": {"id": first.run, "head_sha": head, "event": kind}}
        job = self._job("workflow_run", event)
        job.workspace = self.folder / "empty"
        job.workspace.mkdir(exist_ok=True)
        job.inputs = {"mode": "comment"}
        job.is_green = job.perform()
        return job

    def _job(self, name: str, event: dict[str, Any]) -> Job:
        self.jobs += 1
        return Job(
            self.github,
            self.repository.root,
            self.folder / f"runner{self.jobs}",
            name,
            event,
            dict(self.inputs),
            run=self.jobs,
        )


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    repository = Repository(tmp_path / "project")
    repository.add_eval("alpha", "one", "two")
    repository.add_eval("beta", "three")
    repository.write(".gitignore", ".waza-lsp/\n")
    repository.commit("The first")
    repository.git("switch", "-q", "-c", "topic")
    github = FakeGitHub()
    with serving(github):
        yield Project(repository, github, tmp_path)
