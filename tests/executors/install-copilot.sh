#!/usr/bin/env bash
# Installs the Copilot CLI into the cache folder for the tests in this folder, which also need the group `extras`. Safe to
# run again. To test another CLI, set COPILOT_CLI_PATH.
set -euo pipefail

version=1.0.102
folder=${XDG_CACHE_HOME:-$HOME/.cache}/waza-lsp-editors/copilot-$version
[ -x "$folder/node_modules/.bin/copilot" ] ||
  npm install --silent --no-audit --no-fund --prefix "$folder" "@github/copilot@$version"
