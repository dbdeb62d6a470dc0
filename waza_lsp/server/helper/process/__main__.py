"""Start the helper process with few imports: the next verdict waits for its start, and each megabyte counts twice."""

from waza_lsp.lazy_import import import_lazily, skip_pydantic_plugins
from waza_lsp.server.startup.code_cache import CodeCache

_NOT_AT_FIRST = (
    "lsprotocol.types",  # for findings about drafts and pages
    "difflib",  # for names similar to a misspelt one
    "hashlib",  # for names of files
    "pickle",  # by logging
    "regex",  # for the few patterns that RE2 cannot match
    "secrets",  # for names of temporary files
)


def main() -> None:
    """Answer questions until there are no more."""
    for name in _NOT_AT_FIRST:
        import_lazily(name)
    skip_pydantic_plugins()
    code_cache = CodeCache.of_user("helper")
    code_cache.intercept("dataclasses")
    from waza_lsp.server.helper.process.answering import answer_all

    answer_all(after_first=code_cache.save)


if __name__ == "__main__":
    main()
