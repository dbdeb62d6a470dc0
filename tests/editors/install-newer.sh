#!/usr/bin/env bash
# Newer editors than this Debian has: Neovim 0.10 and Helix from Debian 13, unpacked into the cache
# folder with the libraries they need. Nothing of the system is changed, and root is not needed.
set -euo pipefail

release=trixie
home=${XDG_CACHE_HOME:-$HOME/.cache}/waza-lsp-editors/debian-$release
[ -f "$home/complete" ] && exit 0
rm -rf "$home"
mkdir -p "$home"/{root,lists/partial,archives/partial,dpkg}
: > "$home/dpkg/status"

# The mirror that this machine already uses.
mirror=$(apt-cache policy | sed -n 's|^ *[0-9]* \(https\?://[^ ]*/debian\) .*|\1|p' | head -1)
keys=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb [signed-by=$keys] $mirror $release main" > "$home/sources.list"
options=(
  -o Dir::Etc::sourcelist="$home/sources.list" -o Dir::Etc::sourceparts=/dev/null
  -o Dir::State="$home" -o Dir::State::Lists="$home/lists" -o Dir::State::status="$home/dpkg/status"
  -o Dir::Cache="$home" -o Debug::NoLocking=true -o APT::Sandbox::User=
)
apt-get "${options[@]}" -qq update
# The state of no packages at all: libraries come along, down to the one of C.
apt-get "${options[@]}" -qq install -y --no-install-recommends --download-only neovim hx > /dev/null
for package in "$home"/archives/*.deb; do
  dpkg -x "$package" "$home/root"
done
rm -rf "$home/archives" "$home/lists"
touch "$home/complete"
