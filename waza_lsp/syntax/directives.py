"""Lines above a document that speak to the reader of YAML: `%YAML 1.2`."""

from waza_lsp.syntax.builder import Builder
from waza_lsp.syntax.problem import Cause, Problem, on_line


def directive_problem(source: str) -> Problem | None:
    """What is wrong with the directives in the text above the first key, its `---` included; None without any."""
    lines = source.splitlines()
    directives = [line for line, text in enumerate(lines) if text.startswith("%")]
    if not directives:
        return None
    error = Builder(f"{source.rstrip()}\na: b\n").read()
    if error is None:
        return None
    mark, problem = getattr(error, "problem_mark", None), str(getattr(error, "problem", error))
    if "<document start>" in problem:
        message, line = (
            "A directive needs the line '---' below it; add it, or remove this one",
            directives[-1],
        )
    else:
        above = [it for it in directives if mark is not None and it <= mark.line]
        message, line = f"Not valid YAML: {problem}", max(above, default=directives[0])
    return on_line(message, line, (0, len(lines[line].rstrip())), Cause.OTHER)
