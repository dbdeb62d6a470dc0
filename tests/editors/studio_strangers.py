"""What the browser test of the studio tries against it: pages of others, and markup in texts."""

import re
import subprocess
from typing import TYPE_CHECKING

from tests.editors.workspaces import CLIENTS

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext

_FOREIGN = """<!doctype html><script>
const told = async (act) => { try { return await act(); } catch (error) { return 'refused'; } };
const options = { credentials: 'include' };
const json = { ...options, headers: { 'content-type': 'application/json' } };
const opens = (address) => new Promise((resolve) => {
  const socket = new WebSocket(address);
  socket.onopen = () => resolve('open');
  socket.onerror = () => resolve('refused');
});
const file = JSON.stringify({ path: 'foreign.txt', text: 'x', version: '' });
window.told = Promise.all([
  told(async () => (await fetch('http://HOST/api/session', options)).status),
  told(async () => (await fetch('http://HOST/api/file?path=eval.yaml', options)).text()),
  told(async () => (await fetch('http://HOST/api/trust', { ...json, method: 'POST', body: '{}' })).status),
  told(async () => (await fetch('http://HOST/api/file', { ...json, method: 'PUT', body: file })).status),
  opens('ws://HOST/lsp'),
]);
// Requests that need no permission are sent; the server has to refuse them.
navigator.sendBeacon('http://HOST/api/trust', '{}');
</script>"""
_MARKUP = """<span class="ͼ5 tok-a">x</span><span class="ͼ5 questions">y</span><p class=questions style="position:fixed" id=x onclick="window.hit = 1">text <b>bold</b></p><img src=x onerror="window.hit = 1">
<script>window.hit = 1</script><svg onload="window.hit = 1"><style><img src=x onerror="window.hit = 1"></style></svg>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=window.hit=1&gt;"></table></math>
<a href="javascript:window.hit=1">a</a><a href="data:text/html,x">b</a><a href=" https://x.test">c</a><a href="https://x.test">d</a>
<iframe srcdoc="<script>parent.hit = 1</script>"></iframe><form action="https://x.test"><input name=y></form><template><img></template>"""


async def cleans_hostile_markup(context: "BrowserContext") -> None:
    """Hovers keep text, emphasis and links, whatever the Markdown of a server has in it."""
    source = CLIENTS / "studio" / "src" / "lsp" / "safeHtml.ts"
    bundled = ["--bundle", "--format=iife", "--global-name=made", "--log-level=error"]
    esbuild = CLIENTS / "studio" / "node_modules" / ".bin" / "esbuild"
    script = subprocess.run(  # noqa: ASYNC221  # nothing else runs meanwhile
        [esbuild, source, *bundled], check=True, capture_output=True, text=True
    ).stdout
    page = await context.new_page()
    left = await page.evaluate(
        f"""(markup) => {{ {script}
          document.body.innerHTML = made.safeHtml(markup);
          return [...document.body.querySelectorAll('*')].map((it) => [it.localName, ...[...it.attributes].map((one) => one.name + '=' + one.value)]);
        }}""",
        _MARKUP,
    )
    await page.evaluate("new Promise((done) => setTimeout(done, 100))")
    assert await page.evaluate("window.hit") is None
    attributes = {attribute for _, *attributes in left for attribute in attributes}
    assert attributes == {"class=ͼ5 tok-a", "href=https://x.test", "target=_blank", "rel=noopener noreferrer"}
    assert {name for name, *_ in left} <= {"p", "b", "a", "span", "table", "tbody"}
    assert sum(name == "a" and "href=https://x.test" in them for name, *them in left) == 1


async def keeps_strangers_out(context: "BrowserContext", address: str) -> None:
    """A page of another port has the browser's cookies for ours, and no more; the printed address works once."""
    host = re.sub(r"^http://|/.*$", "", address)
    foreign = await context.new_page()
    text = _FOREIGN.replace("HOST", host)
    await foreign.route("http://127.0.0.1:9/*", lambda it: it.fulfill(body=text, content_type="text/html"))
    await foreign.goto("http://127.0.0.1:9/")
    assert await foreign.evaluate("window.told") == ["refused"] * 5
    own = await context.new_page()
    assert (await own.goto(f"http://{host}/")).status == 200  # type: ignore[union-attr]
    assert (await own.evaluate("fetch('/api/file?path=foreign.txt').then((it) => it.status)")) == 404
    for path in ("../../etc/passwd", "/etc/passwd", "a/../../x", "..\\x", "C:x"):
        status = await own.evaluate(
            "(it) => fetch('/api/file?path=' + encodeURIComponent(it)).then((it) => it.status)", path
        )
        assert status in {400, 403, 404}, path
    stranger = await context.browser.new_context()  # type: ignore[union-attr]
    page = await stranger.new_page()
    # A name that leads here (DNS rebinding): browsers resolve all names below localhost so.
    foreign_name = f"http://evil.localhost:{host.partition(':')[2]}/"
    for used in (address, f"http://{host}/", f"http://{host}/api/session", foreign_name):
        answer = await page.goto(used)
        assert answer is not None
        assert answer.status == 403
    await stranger.close()
