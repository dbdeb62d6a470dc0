"""String operations with Go's results (docs/reference/waza-graders.md, sections 4.1, 4.2, 4.4 and 13).

A module of its own because everything in this package uses it.
"""

import codecs

WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
"""Unicode's White_Space, which Go trims. Python's `strip` would also take U+001C to U+001F."""


def fold(text: str) -> str:
    """Return lower case as `strings.ToLower` does: no final-sigma rule, and a dotted capital I becomes a single i."""
    if text.isascii():
        return text.lower()
    return "".join("i" if it == "\u0130" else it.lower() for it in text)


def trim(text: str) -> str:
    """Return the text without white space at both ends, as `strings.TrimSpace` does."""
    return text.strip(WHITE_SPACE)


def without_surrogates(text: str) -> str:
    """Return the text with each lone surrogate, which no Go string can hold, replaced by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= it <= "\udfff" else it for it in text)
    return text


def decode(data: bytes) -> str:
    """Decode bytes as Go iterates over a string: each byte that is not UTF-8 becomes one U+FFFD."""
    return data.decode("utf-8", "waza-byte-by-byte")


def _byte_by_byte(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "\ufffd" * (error.end - error.start), error.end


codecs.register_error("waza-byte-by-byte", _byte_by_byte)
