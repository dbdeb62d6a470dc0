"""The routes of the studio. `guard` stands before all of them; `docs/studio.md` describes what a page can request."""

import asyncio
import re
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from waza_engine.version import __version__
from waza_lsp.studio.bridge import Bridges
from waza_lsp.studio.files import path_in, read_file, write_file
from waza_lsp.studio.guard import Guard, refusal
from waza_lsp.studio.requests import json_body, output_of, text_of, while_wanted
from waza_lsp.studio.runs import Runs
from waza_lsp.studio.session import TRUST_QUESTION, RefusedError, StudioSession
from waza_lsp.studio.tree import Tree

PAGE = Path(__file__).with_name("page")
_NONCE = "__CSP_NONCE__"
_AUDIT_DONE = frozenset([0, 1])
"""The exit statuses of an audit with an answer."""


def studio_app(session: StudioSession) -> ASGIApp:
    """Return the application of a studio, behind its guard."""
    tree, bridges = Tree(session.folder), Bridges(session)
    api = _Api(session, tree, Runs(session.folder, tree))
    routes = [
        Route("/", api.index),
        Route("/api/session", api.session),
        Route("/api/trust", api.trust, methods=["POST"]),
        Route("/api/tree", api.tree),
        Route("/api/file", api.read),
        Route("/api/file", api.write, methods=["PUT"]),
        Route("/api/runs", api.runs),
        Route("/api/history", api.history),
        Route("/api/trace", api.trace),
        Route("/api/trace/trial", api.trial),
        Route("/api/trace/recording", api.recording),
        Route("/api/compare", api.compare),
        Route("/api/audit", api.audit),
        WebSocketRoute("/lsp", bridges.serve),
    ]
    if (PAGE / "assets").is_dir():
        routes.append(Mount("/assets", StaticFiles(directory=PAGE / "assets")))
    app = Starlette(routes=routes, exception_handlers=dict.fromkeys(_REASONS, _refused))
    return Guard(app, session)


async def _refused(request: Request, error: Exception) -> Response:
    reason = next(it for kind, it in _REASONS.items() if isinstance(error, kind))
    return refusal(reason(error), request.url.path)


_REASONS: dict[type[Exception], Callable[[Any], RefusedError]] = {
    RefusedError: lambda error: error,
    HTTPException: lambda error: RefusedError(error.status_code, f"{error.detail}."),
    Exception: lambda _: RefusedError(500, "This did not work. The log of waza-lsp has the reason."),
}


class _Api:
    def __init__(self, session: StudioSession, tree: Tree, runs: Runs) -> None:
        self._session = session
        self._tree = tree
        self._runs = runs
        self._auditing = asyncio.Lock()

    async def index(self, request: Request) -> Response:
        nonce = secrets.token_urlsafe(16)
        try:
            text = await asyncio.to_thread((PAGE / "index.html").read_text, "utf-8")
        except FileNotFoundError:
            text = "<!doctype html><title>waza-lsp studio</title><p>This installation has no page."
        own = f"ws://{request.headers['host']}"
        policy = (
            f"default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; font-src 'self'; "
            f"connect-src 'self' {own}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        return HTMLResponse(text.replace(_NONCE, nonce), headers={"content-security-policy": policy})

    async def session(self, _: Request) -> Response:
        session = self._session
        return JSONResponse(
            {
                "folder": str(session.folder),
                "name": session.folder.name,
                "root_uri": session.folder.as_uri(),
                "trusted": session.is_trusted,
                "trust_question": TRUST_QUESTION,
                "demo": session.is_demo,
                "start_file": session.start_file,
                "version": __version__,
            }
        )

    async def trust(self, request: Request) -> Response:
        await json_body(request)
        self._session.trust()
        return JSONResponse({"trusted": True})

    async def tree(self, _: Request) -> Response:
        return JSONResponse(await asyncio.to_thread(self._tree.read))

    async def read(self, request: Request) -> Response:
        return JSONResponse(
            await asyncio.to_thread(read_file, self._session.folder, _parameter(request, "path"))
        )

    async def write(self, request: Request) -> Response:
        body = await json_body(request)
        path, text, version = (text_of(body, it) for it in ("path", "text", "version"))
        under_way = text_of(body, "under_way") if "under_way" in body else None
        return JSONResponse(
            await asyncio.to_thread(write_file, self._session.folder, path, text, version, under_way)
        )

    async def runs(self, request: Request) -> Response:
        path = self._path(request) if "path" in request.query_params else None
        return JSONResponse(await asyncio.to_thread(self._runs.listed, path))

    async def history(self, request: Request) -> Response:
        return JSONResponse(await asyncio.to_thread(self._runs.history, self._path(request)))

    async def trace(self, request: Request) -> Response:
        return _json(await asyncio.to_thread(self._runs.trace, _parameter(request, "run")))

    async def trial(self, request: Request) -> Response:
        return await self._trial(request, is_recording=False)

    async def recording(self, request: Request) -> Response:
        return await self._trial(request, is_recording=True)

    async def _trial(self, request: Request, *, is_recording: bool) -> Response:
        name, number = _parameter(request, "run"), _parameter(request, "n")
        if not re.fullmatch(r"\d{1,6}", number, re.ASCII):
            raise RefusedError(400, "The parameter 'n' must be a number.")
        text = await asyncio.to_thread(self._runs.trial, name, int(number), is_recording=is_recording)
        return _json(text)

    async def compare(self, request: Request) -> Response:
        names = [_parameter(request, it) for it in ("a", "b")]
        return JSONResponse(await asyncio.to_thread(self._runs.compare, names))

    async def audit(self, request: Request) -> Response:
        return _json(await while_wanted(request, self._audited(str(self._path(request)))))

    async def _audited(self, path: str) -> str:
        """Return the output of an audit. Audits run one after the other; they execute nothing."""
        async with self._auditing:
            status, out, err = await output_of(self._session.folder, "audit", "--format", "json", path)
        if status not in _AUDIT_DONE:
            raise RefusedError(
                422, err.strip().removeprefix("error: ") or f"The audit ended with status {status}."
            )
        return out

    def _path(self, request: Request) -> Path:
        path = path_in(self._session.folder, _parameter(request, "path"))
        if not path.is_file():
            raise RefusedError(404, f"There is no file '{_parameter(request, 'path')}'.")
        return path


def _parameter(request: Request, name: str) -> str:
    found = request.query_params.getlist(name)
    if len(found) != 1 or not found[0]:
        raise RefusedError(400, f"The parameter '{name}' is missing, or there more than once.")
    return found[0]


def _json(text: str) -> Response:
    return Response(text.encode("utf-8", "replace"), media_type="application/json")
