/** The report of a run, beside the text. It is one HTML file that needs nothing else, and gets nothing else. */

import { ColorThemeKind, Uri, ViewColumn, window, workspace, type WebviewPanel } from 'vscode';

/** The server's reports say the same of themselves; where two policies meet, the stricter counts. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** A page of its own asks the system for light or dark; here the editor's theme counts. */
const asksForDark = '@media (prefers-color-scheme: dark)';
const paper = ':root { --paper: var(--vscode-editor-background); --ink: var(--vscode-editor-foreground); }';

interface Shown {
  panel: WebviewPanel;
  html: string;
}

let shown: Shown | undefined;

/** Shows the answer to `waza.showReport`; there is none when the server has said why. */
export async function showReport(answer: unknown): Promise<void> {
  const { uri } = (answer ?? {}) as { uri?: string };
  if (uri === undefined) {
    return;
  }
  const html = new TextDecoder().decode(await workspace.fs.readFile(Uri.parse(uri)));
  shown = { panel: shown?.panel ?? createPanel(), html };
  draw(shown);
  shown.panel.reveal(undefined, true);
}

function draw({ panel, html }: Shown): void {
  const { kind } = window.activeColorTheme;
  const isDark = kind === ColorThemeKind.Dark || kind === ColorThemeKind.HighContrast;
  panel.title = /<title>([^<]*)<\/title>/.exec(html)?.[1] || 'Report';
  panel.webview.html = html
    .replace('<head>', `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`)
    .replaceAll(asksForDark, isDark ? '@media all' : '@media not all')
    .replace('</head>', `<style>${paper}</style></head>`);
}

function createPanel(): WebviewPanel {
  const panel = window.createWebviewPanel(
    'waza.report',
    'Report',
    { viewColumn: ViewColumn.Beside, preserveFocus: true },
    { enableScripts: false, enableFindWidget: true, localResourceRoots: [] },
  );
  const themes = window.onDidChangeActiveColorTheme(() => shown && draw(shown));
  panel.onDidDispose(() => {
    shown = undefined;
    themes.dispose();
  });
  return panel;
}
