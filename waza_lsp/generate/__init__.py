"""Files of the repository that come from our tables: `python -m waza_lsp.generate` writes all of them in a checkout."""
