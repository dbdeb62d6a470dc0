#!/usr/bin/env bash
# Installs the Copilot CLI, its Python SDK and the ACP library for the tests in this folder; safe to run again.
# Usage: install-copilot.sh [FOLDER]; then: export COPILOT_CLI_PATH="$(install-copilot.sh FOLDER | tail -1)"
set -euo pipefail

here="$(cd "$(dirname "$0")/../.." && pwd)"
folder="${1:-$here/.cache/copilot}"
cli="$folder/node_modules/.bin/copilot"
if [ ! -x "$cli" ]; then
  npm install --silent --no-audit --no-fund --prefix "$folder" @github/copilot@1.0.102 >&2
fi
"${PYTHON:-python}" -m pip install --quiet 'github-copilot-sdk>=1.0.27' 'agent-client-protocol>=0.12.1' >&2
echo "$cli"
