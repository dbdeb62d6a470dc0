"""The door of the studio: every request passes here before anything else looks at it.

A page of another site can make the person's browser send requests to this port. So each request must name this server as
its host (a foreign name that resolves to 127.0.0.1 is DNS rebinding), must come from our own page, and must bring the
cookie, which only the printed address gives, once.
"""

import html
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from waza_lsp.studio.session import RefusedError, StudioSession

_READING = frozenset(["GET", "HEAD"])
_FROM_HERE = frozenset(["", "same-origin", "none"])
"""Values of `Sec-Fetch-Site` for requests of our page and of the address bar. Old browsers do not send the header."""
_HEADERS = {
    "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
"""For every answer; those that a handler has set itself stay."""
_FOREIGN_HOST = "This server answers only as 127.0.0.1 or localhost, with its port."
_FOREIGN_ORIGIN = "This request comes from another site."
_NO_COOKIE = (
    "Open the address that waza-lsp studio has printed. It works once: for a new one, press Enter in the terminal where "
    "the studio runs, or start the studio again."
)


class Guard:
    """Answers 403 to every request that is not from the person's own page, and adds headers to all answers."""

    def __init__(self, app: ASGIApp, session: StudioSession) -> None:
        self._app = app
        self._session = session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._http(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        try:
            self._check_host(headers)
            entry = self._entry(scope, headers)
            if entry is None:
                self._check_origin(headers, is_needed=scope["method"] not in _READING)
                self._check_cookie(headers)
        except RefusedError as error:
            await refusal(error, scope["path"])(scope, receive, send)
            return
        await (entry or self._app)(scope, receive, send)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        try:
            self._check_host(headers)
            self._check_origin(headers, is_needed=True)
            self._check_cookie(headers)
        except RefusedError as error:
            await WebSocket(scope, receive, send).send_denial_response(refusal(error, scope["path"]))
            return
        await self._app(scope, receive, send)

    def _check_host(self, headers: Headers) -> None:
        if len(headers.getlist("host")) != 1 or headers["host"].lower() not in self._session.hosts:
            raise RefusedError(403, _FOREIGN_HOST)

    def _check_origin(self, headers: Headers, *, is_needed: bool) -> None:
        origins = headers.getlist("origin")
        # The very host that the request names: 127.0.0.1 and localhost are two origins.
        is_foreign = (origins or is_needed) and origins != [f"http://{headers['host'].lower()}"]
        if is_foreign or headers.get("sec-fetch-site", "") not in _FROM_HERE:
            raise RefusedError(403, _FOREIGN_ORIGIN)

    def _check_cookie(self, headers: Headers) -> None:
        if not self._has_cookie(headers):
            raise RefusedError(403, _NO_COOKIE)

    def _has_cookie(self, headers: Headers) -> bool:
        # Not `http.cookies`: it drops all cookies if one has an odd form, and other local servers set cookies, too.
        lines = ";".join(headers.getlist("cookie")).split(";")
        pairs = (it.strip().partition("=") for it in lines)
        return any(
            name == self._session.cookie_name and self._session.secrets.is_cookie(value)
            for name, _, value in pairs
        )

    def _entry(self, scope: Scope, headers: Headers) -> Response | None:
        """Return the answer to the printed address; None for all other requests."""
        if scope["path"] != "/" or scope["method"] != "GET":
            return None
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token")
        if given is None:
            return None
        is_new = len(given) == 1 and self._session.secrets.use_token(given[0])
        if not is_new and not self._has_cookie(headers):
            raise RefusedError(403, _NO_COOKIE)
        response: Response
        if headers.get("sec-fetch-site", "") in _FROM_HERE:
            response = RedirectResponse("/", 303)
        else:
            # The address was opened by a link, perhaps of a terminal in a browser. A redirect from there would not
            # bring a strict cookie along.
            response = HTMLResponse(
                '<!doctype html><title>waza-lsp</title><meta http-equiv="refresh" content="0;url=/">'
            )
        if is_new:
            response.set_cookie(
                self._session.cookie_name,
                self._session.secrets.cookie,
                path="/",
                httponly=True,
                samesite="strict",
            )
        return response


def refusal(error: RefusedError, path: str) -> Response:
    """Return the answer to a refused request: one sentence, as JSON for the API."""
    if path.startswith("/api/"):
        return JSONResponse({"error": str(error)}, error.status)
    if path == "/":
        page = f"<!doctype html><title>waza-lsp</title><p>{html.escape(str(error))}</p>"
        return HTMLResponse(page, error.status)
    return PlainTextResponse(str(error), error.status)


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers
