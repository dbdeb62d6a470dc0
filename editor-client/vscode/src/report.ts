/** The report of a run, or the page of an audit, beside the editor. It is one HTML file that loads nothing else. */

import { ColorThemeKind, Uri, ViewColumn, window, workspace, type WebviewPanel } from 'vscode';

import { paced, type Paced } from './paced';
import type { Ask } from './recordedRuns';
import { webPage } from './webPage';

interface Shown {
  panel: WebviewPanel;
  html: string;
  /** The eval of an audit, and what asks the server for its page again. */
  audit?: { eval: string; refresh: Paced; ask?: Ask };
}

interface Page {
  uri?: string;
  eval?: string;
}

let shown: Shown | undefined;

/** Shows the response to `waza.showReport`. It is empty if the server has reported the reason. */
export async function showReport(answer: unknown): Promise<void> {
  const { uri } = (answer ?? {}) as Page;
  if (uri !== undefined) {
    await show(uri);
  }
}

/** Shows the response to `waza.showAudit`. While the page is visible, it follows the live audit of its eval. */
export async function showAudit(answer: unknown, argument: unknown): Promise<void> {
  const { uri, eval: about } = (answer ?? {}) as Page;
  if (uri === undefined) {
    return;
  }
  const mine = await show(uri);
  if (about !== undefined) {
    const { task } = (argument ?? {}) as { task?: string };
    const refresh = paced(
      () => redraw(mine, { uri: about, task, quiet: true }),
      () => shown === mine && mine.panel.visible,
    );
    mine.audit = { eval: about, refresh };
  }
}

/** The live audit of an eval has new results. `ask` sends requests to the server that has them. */
export function auditChanged(evalUri: string, ask: Ask): void {
  if (shown?.audit?.eval === evalUri) {
    shown.audit.ask = ask;
    shown.audit.refresh.changed();
  }
}

async function redraw(mine: Shown, argument: object): Promise<void> {
  const again = { command: 'waza.showAudit', arguments: [argument] };
  const { uri } = (await mine.audit?.ask?.<Page>('workspace/executeCommand', again)) ?? {};
  const html = uri === undefined ? mine.html : await textOf(uri);
  // Meanwhile it may have been closed, or another page may be in its place. The same page again would flicker.
  if (shown === mine && html !== mine.html) {
    mine.html = html;
    draw(mine);
  }
}

async function show(uri: string): Promise<Shown> {
  const html = await textOf(uri);
  const mine = { panel: shown?.panel ?? createPanel(), html };
  shown = mine;
  draw(mine);
  mine.panel.reveal(undefined, true);
  return mine;
}

async function textOf(uri: string): Promise<string> {
  return new TextDecoder().decode(await workspace.fs.readFile(Uri.parse(uri)));
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
  panel.onDidChangeViewState(() => shown?.audit?.refresh.resume());
  panel.onDidDispose(() => {
    shown = undefined;
    themes.dispose();
  });
  return panel;
}
