#!/usr/bin/env bash
# Installs the editors and tools that the tests of tier 1 drive. Safe to run again; needs root for packages.
set -euo pipefail

if ! command -v nvim > /dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends neovim > /dev/null
fi
command -v npm > /dev/null || echo "npm is missing: tests with Node tools will say so"
