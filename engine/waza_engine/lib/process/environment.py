"""The environment of programs that we start for others: agents, hooks, graders' programs, set-up commands.

They get the variables that programs need to find their files, their language and the network, and nothing else: our
environment may hold the keys of judges and of the user's accounts. The user names more variables in `WAZA_LSP_PASS_ENV`.
"""

import os
import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from waza_engine.lib.redaction import is_secret_name

PASS_VARIABLE = "WAZA_LSP_PASS_ENV"  # noqa: S105  # a name
"""Names, or globs such as `AZURE_*`, of more variables to pass on, separated by commas."""
_PASSED = frozenset(
    [
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "LANG",
        "LANGUAGE",
        "TZ",
        "TERM",
        "COLORTERM",
        "NO_COLOR",
        "FORCE_COLOR",
        "CI",
        "TMPDIR",
        "TEMP",
        "TMP",
        "DISPLAY",
        "EDITOR",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
        "ALL_PROXY",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
        "NODE_EXTRA_CA_CERTS",
        "NODE_PATH",
        "NODE_ENV",
        "NPM_CONFIG_REGISTRY",
        "NPM_CONFIG_PREFIX",
        "NPM_CONFIG_CACHE",
        "NVM_DIR",
        "NVM_BIN",
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
        "CONDA_DEFAULT_ENV",
        "PYENV_ROOT",
        "PYENV_VERSION",
        "PYTHONPATH",
        "PYTHONUTF8",
        "PYTHONUNBUFFERED",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONIOENCODING",
        "UV_CACHE_DIR",
        "PIP_CACHE_DIR",
        "JAVA_HOME",
        "M2_HOME",
        "GRADLE_USER_HOME",
        "DOTNET_ROOT",
        "DOTNET_CLI_HOME",
        "NUGET_PACKAGES",
        "GOPATH",
        "GOROOT",
        "GOCACHE",
        "GOMODCACHE",
        "GOPROXY",
        "GOFLAGS",
        "CARGO_HOME",
        "RUSTUP_HOME",
        "GEM_HOME",
        "GEM_PATH",
        "LD_LIBRARY_PATH",
        "DYLD_LIBRARY_PATH",
        "DYLD_FALLBACK_LIBRARY_PATH",
        "DOCKER_HOST",
        "SYSTEMROOT",
        "SYSTEMDRIVE",
        "WINDIR",
        "COMSPEC",
        "PATHEXT",
        "APPDATA",
        "LOCALAPPDATA",
        "PROGRAMDATA",
        "PROGRAMFILES",
        "USERPROFILE",
        "HOMEDRIVE",
        "HOMEPATH",
        "USERNAME",
        "NUMBER_OF_PROCESSORS",
        "OS",
    ]
)
_SEARCHED = frozenset(
    ["PATH", "PYTHONPATH", "NODE_PATH", "GEM_PATH", "GOPATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"]
)
"""Lists of folders in which programs and libraries are searched."""
_PASSED_BEGINNINGS = ("LC_", "XDG_", "PROGRAMFILES(", "PROCESSOR_")


def program_environment(
    source: Mapping[str, str],
    added: Mapping[str, str] | None = None,
    *,
    directory: Path | None = None,
    names: Iterable[str] = (),
) -> dict[str, str]:
    """Return the environment of a program: what is passed of `source`, then `added`.

    `directory` is where the program starts: programs that trust `PWD` must not find the folder in which we were started.
    `names` are more names or globs of variables that this program needs.
    """
    patterns = (*names, *_user_patterns(source))
    result = {name: value for name, value in source.items() if _is_passed(name, patterns)}
    if directory is not None and os.name != "nt":
        result["PWD"] = str(directory)
        result.update({name: _absolute(result[name]) for name in _SEARCHED & result.keys()})
    result.update(added or {})
    return result


def _absolute(folders: str) -> str:
    """Return a list of folders as the user meant it: relative ones would be searched where the program starts.

    There, an agent could have put its own `git` or `python`. Empty entries mean that folder, too.
    """
    return os.pathsep.join(os.path.abspath(it) for it in folders.split(os.pathsep) if it)  # noqa: PTH100  # keeps links


def withheld_secrets(source: Mapping[str, str], names: Iterable[str] = ()) -> list[str]:
    """Return the names of variables that look like credentials and are not passed on."""
    patterns = (*names, *_user_patterns(source))
    return sorted(it for it in source if is_secret_name(it) and not _is_passed(it, patterns))


def withheld_note(source: Mapping[str, str], said: str, names: Iterable[str] = ()) -> str:
    """Return a sentence about the withheld credentials that the output `said` of a failed program names, or ""."""
    missing = [it for it in withheld_secrets(source, names) if re.search(rf"\b{re.escape(it)}\b", said)]
    if not missing:
        return ""
    options = " ".join(f"--pass-env {it}" for it in missing)
    return f"It did not get {', '.join(missing)} from your environment. If it needs that, use {options}"


def _user_patterns(source: Mapping[str, str]) -> list[str]:
    return [it.strip() for it in source.get(PASS_VARIABLE, "").split(",") if it.strip()]


def is_usual(name: str) -> bool:
    """Return whether programs get this variable without being named."""
    upper = name.upper()
    return upper in _PASSED or upper.startswith(_PASSED_BEGINNINGS)


def _is_passed(name: str, patterns: Iterable[str]) -> bool:
    return is_usual(name) or any(fnmatchcase(name, it) for it in patterns)
