"""One file per LSP request: a pure function from a snapshot to an LSP value."""
