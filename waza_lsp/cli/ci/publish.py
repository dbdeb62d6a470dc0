"""`waza-lsp ci comment`: keep one comment on a pull request up to date.

The comment is made from the data of the summary, also when the text lies beside it: the summary may be a stranger's, and
the token of this step may write.
"""

from pathlib import Path
from typing import Any

from waza_engine.reports.pull_request.comment import comment_markdown, is_key, marker
from waza_engine.reports.pull_request.summary import Summary, SummaryError, read_summary
from waza_lsp.cli.ci.artifacts import summary_of_run
from waza_lsp.cli.ci.event import Event, read_event
from waza_lsp.cli.ci.github_api import ApiError, GitHub
from waza_lsp.cli.console import give_up, print_err

_GONE = frozenset([404, 410])
_PULL_REQUEST = "pull_request"


def publish(directory: Path | None, link: str, key: str) -> None:
    """Write or update the comment of the event's pull request, and say what was done."""
    if not is_key(key):
        give_up(f"'{key}' is not a name for --key")
    event = read_event()
    try:
        github = GitHub.from_environment()
        if event.finished:
            done = _after_workflow(github, event, key)
        elif directory is None or not event.number:
            give_up(
                "The event is neither that of a pull request nor of a finished workflow. Name the folder of `ci run`"
            )
        else:
            summary = read_summary(directory)
            done = _comment(github, event.number, event.head, summary, key, _checked(github, link))
    except (ApiError, SummaryError) as error:
        give_up(f"The comment cannot be written: {error}")
    print_err(done)


def _after_workflow(github: GitHub, event: Event, key: str) -> str:
    """Comment for a workflow that had no right to. Only its commit is certain; GitHub tells that one."""
    if event.finished_kind != _PULL_REQUEST:
        return f"The finished workflow was not started by a pull request but by '{event.finished_kind}': no comment"
    found = github.patiently(lambda: summary_of_run(github, event.finished, key))
    if found is None:
        return "The finished workflow has no summary: no comment"
    summary, artifact = found
    if not summary.number or not event.head:
        raise SummaryError("it does not name a pull request")
    link = f"{github.server}/{github.repository}/actions/runs/{event.finished}/artifacts/{artifact}"
    return _comment(github, summary.number, event.head, summary, key, link)


def _comment(github: GitHub, number: int, head: str, summary: Summary, key: str, link: str) -> str:
    """Write the comment, if the pull request is open and still at the commit that was run."""
    pull = github.patiently(lambda: github.get(f"pulls/{number}"))
    if not isinstance(pull, dict) or pull.get("state") != "open":
        return f"Pull request {number} is not open: no comment"
    if (
        _member(pull, "head", "sha") != head
        or _member(pull, "base", "repo", "full_name") != github.repository
    ):
        return f"Pull request {number} is not at the commit {head[:8]} that was run: no comment"
    text = comment_markdown(summary, key, link)
    return github.patiently(lambda: _put(github, number, text, key))


def _put(github: GitHub, number: int, text: str, key: str) -> str:
    """Update our comment or create it. Each attempt looks again: a request that failed may have been done."""
    comments = github.items(f"issues/{number}/comments?per_page=100")
    own = next((it for it in comments if _is_ours(it, key)), None)
    if own is not None and own.get("body") == text:
        return f"The comment of pull request {number} is up to date"
    if own is not None:
        try:
            github.patch(f"issues/comments/{own['id']}", {"body": text})
        except ApiError as error:
            # Somebody has deleted it meanwhile.
            if error.status not in _GONE:
                raise
        else:
            return f"The comment of pull request {number} is updated"
    github.post(f"issues/{number}/comments", {"body": text})
    return f"Pull request {number} has a comment"


def _is_ours(comment: dict[str, Any], key: str) -> bool:
    """Whether a comment begins with our mark and is by a bot: people may quote the mark."""
    body = comment.get("body")
    is_bot = _member(comment, "user", "type") == "Bot"
    return (
        is_bot
        and isinstance(body, str)
        and body.startswith(marker(key))
        and isinstance(comment.get("id"), int)
    )


def _member(data: Any, *keys: str) -> Any:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _checked(github: GitHub, link: str) -> str:
    """Return the link if it leads to pages of this repository and is plain."""
    is_plain = all(it.isalnum() or it in "/._-:" for it in link)
    return link if is_plain and link.startswith(f"{github.server}/{github.repository}/actions/") else ""
