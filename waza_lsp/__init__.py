"""The language server: knows text, positions and LSP; gets all meaning from `waza_engine`."""
