/** The report of a run, beside the text. It is one HTML file that needs nothing else, and gets nothing else. */

import { Uri, ViewColumn, window, workspace, type WebviewPanel } from 'vscode';

/** The server's reports say the same of themselves; where two policies meet, the stricter counts. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

let panel: WebviewPanel | undefined;

/** Shows the answer to `waza.showReport`; there is none when the server has said why. */
export async function showReport(answer: unknown): Promise<void> {
  const { uri } = (answer ?? {}) as { uri?: string };
  if (uri === undefined) {
    return;
  }
  const html = new TextDecoder().decode(await workspace.fs.readFile(Uri.parse(uri)));
  panel ??= createPanel();
  panel.title = /<title>([^<]*)<\/title>/.exec(html)?.[1] || 'Report';
  panel.webview.html = html.replace(
    /<head>/,
    `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`,
  );
  panel.reveal(undefined, true);
}

function createPanel(): WebviewPanel {
  const made = window.createWebviewPanel(
    'waza.report',
    'Report',
    { viewColumn: ViewColumn.Beside, preserveFocus: true },
    { enableScripts: false, enableFindWidget: true, localResourceRoots: [] },
  );
  made.onDidDispose(() => (panel = undefined));
  return made;
}
