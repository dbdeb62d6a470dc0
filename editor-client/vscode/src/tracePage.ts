/** Changes a trace page for a web view: the editor's theme, and a way to talk to the extension. Plain text in and out. */

import { createHash } from 'node:crypto';

const asksForDark = /@media\s*\(prefers-color-scheme:\s*dark\)/g;
const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };
const policyTag = /(<meta http-equiv="Content-Security-Policy" content=")[^"]*(">)/;
const styleTag = /<style>([^<]*)<\/style>/;

/** Runs before the viewer, which takes from it what the editor can do. */
function bridge(address: string): string {
  return `(() => {
  const editor = acquireVsCodeApi();
  const host = {
    address: () => ${JSON.stringify(address).replaceAll('<', '\\u003c')},
    openSource: (path, line) => editor.postMessage({ kind: 'open', path, line }),
    makeCheck: ({ task, yaml }) => editor.postMessage({ kind: 'check', task, yaml }),
  };
  window.wazaTrace = { host };
})();`;
}

/** The page allows its own script by a hash. Here it also gets the bridge, and the hash of its style in this theme. */
export function tracePage(html: string, isDark: boolean, address: string): string {
  const own = /script-src ('sha256-[A-Za-z0-9+/=]+')/.exec(html)?.[1] ?? '';
  const script = bridge(address);
  const style = `${styleTag.exec(html)?.[1] ?? ''}\n${undone(isDark)}`.replace(
    asksForDark,
    isDark ? '@media all' : '@media not all',
  );
  const policy = `default-src 'none'; script-src ${own} ${hashOf(script)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'`;
  return html
    .replace(policyTag, (_, start: string, end: string) => `${start}${policy}${end}`)
    .replace(styleTag, () => `<style>${style}</style>\n<script>${script}</script>`);
}

/** Takes back what VS Code's own style does to elements of the page, with less weight than the page's own style. */
function undone(isDark: boolean): string {
  return `:where(.waza-trace) :is(code, pre, kbd) { color: inherit; background: none; padding: 0; }
.waza-trace { color-scheme: ${isDark ? 'dark' : 'light'}; }`;
}

/** The title of the page, whose special characters Python has escaped. */
export function traceTitle(html: string): string {
  const title = /<title>([^<]*)<\/title>/.exec(html)?.[1] ?? '';
  return title.replace(/&(amp|lt|gt|quot|#x27);/g, (_, name: string) => characters[name] ?? '');
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
