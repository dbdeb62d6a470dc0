"""`python -m waza_lsp` is the same as `waza-lsp`."""

from waza_lsp.cli import main

main(prog_name="waza-lsp")
