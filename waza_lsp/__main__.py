"""Start the command line: `python -m waza_lsp` is the same as `waza-lsp`."""

import sys

_GC_THRESHOLDS = (50_000, 20, 100)


def main() -> None:
    """Run the command line. `serve` starts without the imports of the other commands, because editors wait for it."""
    try:
        if sys.argv[1:] in (["serve"], ["serve", "--stdio"]):
            from waza_lsp.server.startup.main import serve_stdio

            serve_stdio()
        else:
            import gc

            # Imports create little garbage. The default thresholds cost most commands 5 % of their time.
            gc.set_threshold(*_GC_THRESHOLDS)
            from waza_lsp.cli import main as run_command_line

            run_command_line(prog_name="waza-lsp")
    except KeyboardInterrupt:
        # Interrupted before the command handles it.
        sys.exit(130)


if __name__ == "__main__":
    main()
