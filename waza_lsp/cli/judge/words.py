"""The words for agreement that all commands about judges share."""

from waza_engine.calibration.agreement import Table
from waza_engine.lib.plurals import counted
from waza_engine.statistics.agreement import Agreement, agreement

FEW = 20
"""With fewer verdicts of people, kappa says little."""


def agreement_words(table: Table, whom: str) -> str:
    """Return the agreement in a line: `kappa 0.41 [0.10, 0.72], 17 of 24 verdicts as people say`."""
    found = agreement(table)
    same = f"{table[0][0] + table[1][1]} of {counted(found.items, 'verdict')} as {whom} said"
    if not found.items:
        return ""
    if found.kappa is None or found.kappa_interval is None:
        return f"{same}; kappa is unknown: all verdicts are alike"
    few = f" (rough: fewer than {FEW})" if found.items < FEW else ""
    interval = f"[{found.kappa_interval.lower:.2f}, {found.kappa_interval.upper:.2f}]"
    return f"kappa {found.kappa:.2f} {interval}, {same}{few}"


def table_lines(table: Table, first: str, second: str) -> list[str]:
    """Return the confusion table as aligned text."""
    width = max(len(first), 5) + 6
    head = f"{'':{width}}  {second}: pass  {second}: fail"
    columns = [len(f"{second}: pass"), len(f"{second}: fail")]
    rows = [
        f"{f'{first}: {word}':{width}}  {row[0]:>{columns[0]}}  {row[1]:>{columns[1]}}"
        for word, row in zip(("pass", "fail"), table, strict=True)
    ]
    return [head, *rows]


def agreement_data(found: Agreement) -> dict[str, object]:
    """Return an agreement as JSON."""
    interval = found.kappa_interval
    return {
        "items": found.items,
        "agreed": found.agreed,
        "agreed_interval": [found.agreed_interval.lower, found.agreed_interval.upper],
        "kappa": found.kappa,
        "kappa_interval": None if interval is None else [interval.lower, interval.upper],
    }
