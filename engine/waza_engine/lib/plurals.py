"""Numbers with their nouns, in messages."""


def counted(count: int, noun: str) -> str:
    """Return "1 task" or "2 tasks"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
