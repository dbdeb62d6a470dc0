/**
 * Server commands without a target: from the command palette, or from a menu that passes a file.
 */

import { Uri, window, workspace } from 'vscode';

import { evalFiles, looksLikeEval } from './documents';

const aboutFile = new Set(['waza.runEval', 'waza.runFailed', 'waza.grade']);

/** The arguments to send, or undefined if the user chose nothing. */
export async function withArguments(command: string, args: unknown[]): Promise<unknown[] | undefined> {
  const [first] = args;
  if (first instanceof Uri) {
    return [{ uri: first.toString() }];
  }
  if (first !== undefined || !aboutFile.has(command)) {
    return first === undefined ? [{}] : args;
  }
  const file = await evalFile();
  return file && [{ uri: file.toString() }];
}

/** The eval in the editor, or the only one of the workspace, or the user's choice. */
async function evalFile(): Promise<Uri | undefined> {
  const document = window.activeTextEditor?.document;
  if (document && looksLikeEval(document)) {
    return document.uri;
  }
  const found = await workspace.findFiles(evalFiles);
  const items = found.map((file) => ({ label: workspace.asRelativePath(file), file })).sort(byLabel);
  if (items.length === 0) {
    void window.showInformationMessage('There is no eval file in this workspace.');
  }
  const chosen = items.length > 1 ? await window.showQuickPick(items, { title: 'Which eval?' }) : items[0];
  return chosen?.file;
}

function byLabel(one: { label: string }, other: { label: string }): number {
  return one.label.localeCompare(other.label);
}
