#!/bin/sh
# Installs what the VS Code screen tests need, apart from Python packages: Chromium, a VS Code
# server in the cache folder, and the packages that build the extension, the trace viewer and the studio. Run it again at will.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
extension=$here/../../editor-client/vscode
viewer=$here/../../editor-client/viewer
studio=$here/../../editor-client/studio

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

if ! command -v chromium >/dev/null && ! command -v google-chrome >/dev/null; then
    as_root apt-get -qq update
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq install -y --no-install-recommends chromium >/dev/null
fi

"${PYTHON:-python3}" "$here/vscode_cache.py"

for folder in "$extension" "$viewer" "$studio"; do
    if ! cmp -s "$folder/package-lock.json" "$folder/node_modules/.lock-installed"; then
        npm --prefix "$folder" ci --loglevel=error >/dev/null
        cp "$folder/package-lock.json" "$folder/node_modules/.lock-installed"
    fi
done
