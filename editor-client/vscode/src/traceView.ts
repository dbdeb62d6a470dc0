/** The steps of a run in an editor of their own: the trace page of the server, with links back to the files of the workspace. */

import {
  ColorThemeKind,
  Range,
  Uri,
  ViewColumn,
  commands,
  env,
  window,
  workspace,
  type WebviewPanel,
} from 'vscode';

import { exists } from './files';
import { tracePage, traceTitle } from './tracePage';

/** Larger pages open in the browser: a web view gets the page as one message. */
const largest = 30_000_000;

interface Shown {
  panel: WebviewPanel;
  html: string;
  uri: Uri;
  /** The eval of the run. */
  eval: string;
}

let shown: Shown | undefined;

/** Shows the response to `waza.showTrace`. It is empty if the server has reported the reason. */
export async function showTrace(answer: unknown): Promise<void> {
  const given = (answer ?? {}) as { uri?: string; eval?: string };
  if (given.uri === undefined) {
    return;
  }
  const uri = Uri.parse(given.uri);
  const { size } = await workspace.fs.stat(uri);
  if (size > largest) {
    await env.openExternal(uri);
    return;
  }
  const html = new TextDecoder().decode(await workspace.fs.readFile(uri));
  shown = { panel: shown?.panel ?? createPanel(), html, uri, eval: given.eval ?? '' };
  draw(shown);
  shown.panel.reveal();
}

function draw({ panel, html, uri }: Shown): void {
  const { kind } = window.activeColorTheme;
  const isDark = kind === ColorThemeKind.Dark || kind === ColorThemeKind.HighContrast;
  panel.title = `Steps: ${traceTitle(html)}`;
  panel.webview.html = tracePage(html, isDark, uri.toString());
}

function createPanel(): WebviewPanel {
  const panel = window.createWebviewPanel(
    'waza.trace',
    'Steps',
    // It has panes beside each other, so it needs the width of a whole editor.
    ViewColumn.Active,
    { enableScripts: true, enableForms: false, retainContextWhenHidden: true, localResourceRoots: [] },
  );
  const themes = window.onDidChangeActiveColorTheme(() => shown && draw(shown));
  panel.webview.onDidReceiveMessage((message: unknown) => receive(message));
  panel.onDidDispose(() => {
    shown = undefined;
    themes.dispose();
  });
  return panel;
}

/** What a page says is only believed as far as it opens a file of the workspace, or drafts a check that the user sees. */
async function receive(message: unknown): Promise<void> {
  const { kind, path, line, task, yaml } = (message ?? {}) as Record<string, unknown>;
  if (kind === 'open' && typeof path === 'string') {
    await openFile(path, line);
  } else if (kind === 'check' && typeof task === 'string' && typeof yaml === 'string' && shown) {
    await commands.executeCommand('waza.addCheck', { uri: shown.eval, task, yaml });
  }
}

async function openFile(path: string, line: unknown): Promise<void> {
  const file = await fileOf(path);
  if (file) {
    await showLine(file, Number.isInteger(line) ? (line as number) - 1 : 0);
  } else {
    void window.showInformationMessage(`${path} is not in this workspace.`);
  }
}

/** Shows the response to `waza.addCheck`: the change, which is not saved yet. */
export async function showAddedCheck(answer: unknown): Promise<void> {
  const { uri, line } = (answer ?? {}) as { uri?: string; line?: number };
  if (uri !== undefined && line !== undefined) {
    await showLine(Uri.parse(uri), line);
  }
}

async function showLine(file: Uri, line: number): Promise<void> {
  const at = Math.max(0, line);
  await window.showTextDocument(file, { viewColumn: ViewColumn.Beside, selection: new Range(at, 0, at, 0) });
}

/** The file of the workspace at a path from the root of its repository, which may be above the workspace. */
async function fileOf(path: string): Promise<Uri | undefined> {
  const parts = path.split(/[/\\]/).filter((it) => it !== '' && it !== '.');
  if (parts.includes('..')) {
    return undefined;
  }
  for (let start = 0; start < parts.length; start++) {
    for (const folder of workspace.workspaceFolders ?? []) {
      const file = Uri.joinPath(folder.uri, ...parts.slice(start));
      if (await exists(file)) {
        return file;
      }
    }
  }
  return undefined;
}
