"""`python -m waza_lsp` is the same as `waza-lsp`."""

import sys

_RARELY = (50_000, 20, 100)


def main() -> None:
    """The command line. Editors start the server with these words alone, and need not wait for all the others."""
    try:
        if sys.argv[1:] in (["serve"], ["serve", "--stdio"]):
            from waza_lsp.server.startup.main import serve_stdio

            serve_stdio()
        else:
            import gc

            # Little of what imports make is garbage: to look for it so often takes a twentieth of most commands.
            gc.set_threshold(*_RARELY)
            from waza_lsp.cli import main as commands

            commands(prog_name="waza-lsp")
    except KeyboardInterrupt:
        # Before the command itself could hear of it.
        sys.exit(130)


if __name__ == "__main__":
    main()
