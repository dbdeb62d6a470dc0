/** The report of a run, or the page of an audit, beside the editor. It is one HTML file that loads nothing else. */

import { ColorThemeKind, Uri, ViewColumn, window, workspace, type WebviewPanel } from 'vscode';

import { webPage } from './webPage';

interface Shown {
  panel: WebviewPanel;
  html: string;
}

let shown: Shown | undefined;

/** Shows the response to `waza.showReport` or `waza.showAudit`. It is empty if the server has reported the reason. */
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
  panel.webview.html = webPage(html, isDark);
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
