"""Comparing texts without case, exactly as Go's `strings.ToLower` does it (waza-graders.md, section 4.2)."""


def fold(text: str) -> str:
    """Lower case character by character: no final-sigma rule, and a dotted capital I becomes a single i."""
    if text.isascii():
        return text.lower()
    return "".join("i" if it == "\u0130" else it.lower() for it in text)
