"""What the client is asked to tell us about: files that findings may depend on, and our settings."""

from urllib.parse import unquote

from lsprotocol import types

_PATTERNS = ("**/*.{yaml,yml,md,csv,json,jsonl,toml}", "**/.gitignore", "**/fixtures/**")
_NOT_OURS = ("/.waza-lsp/", "/.git/", "/node_modules/")
"""Runs write into the first one all the time; nothing that is checked stands in any of them."""


def registrations(capabilities: types.ClientCapabilities) -> list[types.Registration]:
    """What to register: only what the client lets servers register while it runs."""
    workspace = capabilities.workspace
    if workspace is None:
        return []
    wanted: list[types.Registration] = []
    files, settings = workspace.did_change_watched_files, workspace.did_change_configuration
    if files is not None and files.dynamic_registration:
        watchers = [types.FileSystemWatcher(it) for it in _PATTERNS]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        wanted.append(types.Registration("waza-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
    if settings is not None and settings.dynamic_registration:
        section = types.DidChangeConfigurationRegistrationOptions("waza")
        wanted.append(types.Registration("waza-settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, section))
    return wanted


def concerns_findings(uri: str) -> bool:
    """Whether a change of this file may change what is found anywhere."""
    path = unquote(uri)
    return not any(it in path for it in _NOT_OURS)
