#!/usr/bin/env bash
# Installs Claude Code into the cache folder for `test_agents_as_authors.py`, which also needs the group `extras`. Safe to
# run again. To test another one, set CLAUDE_CODE_PATH.
set -euo pipefail

version=2.1.330
folder=${XDG_CACHE_HOME:-$HOME/.cache}/waza-lsp-editors/claude-code-$version
[ -x "$folder/node_modules/.bin/claude" ] ||
  npm install --silent --no-audit --no-fund --prefix "$folder" "@anthropic-ai/claude-code@$version"
