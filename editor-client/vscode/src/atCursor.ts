/** Runs, or grades again, what the cursor is in: a grader, a task or the eval. The server knows which. */

import { commands, Disposable, window } from 'vscode';
import type { CodeAction } from 'vscode-languageclient/node';

import { offerRun } from './offer';
import type { Server } from './server';

const runs = ['waza.runTask', 'waza.runEval'];
const grades = ['waza.grade'];

export function atCursor(server: Server): Disposable {
  return Disposable.from(
    commands.registerCommand('waza.runAtCursor', () => start(server, runs, 'Nothing at the cursor can be run.')),
    commands.registerCommand('waza.gradeAtCursor', () =>
      start(server, grades, 'Nothing is recorded for the task at the cursor.'),
    ),
  );
}

async function start(server: Server, wanted: string[], otherwise: string): Promise<void> {
  const editor = window.activeTextEditor;
  if (!editor) {
    return;
  }
  const { line, character } = editor.selection.active;
  // The actions that the server offers on request, the innermost first.
  const actions = await server.request<CodeAction[]>('textDocument/codeAction', {
    textDocument: { uri: editor.document.uri.toString() },
    range: { start: { line, character }, end: { line, character } },
    context: { diagnostics: [], triggerKind: 1 },
  });
  const found = actions?.find(({ command }) => command !== undefined && wanted.includes(command.command))?.command;
  if (found) {
    await commands.executeCommand(found.command, ...(found.arguments ?? []));
  } else {
    offerRun(otherwise);
  }
}
