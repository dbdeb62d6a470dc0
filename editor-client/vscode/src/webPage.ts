/** Changes a page of the server for a web view. Plain text in and out. */

/** The server's pages contain the same policy. Of two policies, the stricter one applies. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** A standalone page follows the system's light or dark mode. This one follows the editor's theme. */
const asksForDark = '@media (prefers-color-scheme: dark)';
const paper = ':root { --paper: var(--vscode-editor-background); --ink: var(--vscode-editor-foreground); }';

/** A browser unfolds what a link leads to. A web view only scrolls, so that the link must lead to what is not folded. */
const foldedTarget = /<summary>((?:(?!<\/summary>)[^])*)<\/summary><div class="inner" id="([^"]*)">/g;

export function webPage(html: string, isDark: boolean): string {
  return html
    .replace('<head>', `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`)
    .replaceAll(asksForDark, isDark ? '@media all' : '@media not all')
    .replace('</head>', `<style>${paper}</style></head>`)
    .replace(foldedTarget, '<summary id="$2">$1</summary><div class="inner">');
}
