#!/usr/bin/env bash
# Installs the editors and tools that the tests of tiers 1 and 2 drive. Safe to run again; needs root for packages.
set -euo pipefail

packages=()
wants() { command -v "$1" > /dev/null || packages+=("${@:2}"); }

wants nvim neovim
wants vim vim
wants faketime faketime # For the tests in which the clock jumps.
wants bwrap bubblewrap # For the tests of the sandbox.
wants emacs emacs-nox
for it in elpa-eglot elpa-lsp-mode elpa-yaml-mode vim-ale; do
  dpkg -s "$it" > /dev/null 2>&1 || packages+=("$it")
done
# For VS Code, too: one call of apt is quicker than two.
command -v google-chrome > /dev/null || wants chromium chromium

if [ ${#packages[@]} -gt 0 ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" > /dev/null
fi
command -v npm > /dev/null || echo "npm is missing: tests with Node tools will say so"
