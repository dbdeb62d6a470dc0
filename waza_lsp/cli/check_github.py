"""The findings of `waza-lsp check` as workflow commands, which GitHub shows beside the lines of a pull request."""

from collections.abc import Sequence

from waza_engine.findings import Severity
from waza_engine.reports.inert import harmless
from waza_lsp.cli.check_report import CheckedFile, Reported

_COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "notice",
    Severity.HINT: "notice",
}


def as_github(files: Sequence[CheckedFile]) -> str:
    """One command a line; nothing when nothing was found. Lines and columns count from one, the end is included."""
    return "\n".join(_command(file.name, it) for file in files for it in file.found)


def _command(name: str, it: Reported) -> str:
    (first, start), (last, end) = it.span
    properties = {"file": name, "line": first + 1, "endLine": last + 1, "title": it.finding.code}
    if first == last:  # GitHub refuses columns across lines.
        properties |= {"col": start + 1, "endColumn": max(start + 1, end)}
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{_COMMANDS[it.finding.severity]} {listed}::{_message(it.finding.message)}"


def _message(text: str) -> str:
    """Line ends stay in it, as GitHub escapes them."""
    return harmless(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
