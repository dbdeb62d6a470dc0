/** What lenses, fixes and panels start: some of it is shown by the page itself, the rest is a command of the server. */

import { LSPPlugin } from '@codemirror/lsp-client';
import type { EditorView } from '@codemirror/view';
import type { CodeAction, Command } from 'vscode-languageserver-types';

import { trustFolder } from './api.ts';
import { documents } from './editor/documents.ts';
import { toPath } from './logic/paths.ts';
import { findTask, insertion, type Item } from './logic/insertCheck.ts';
import { shared } from './logic/shared.ts';
import { offsetOf } from './logic/textEdits.ts';
import type { LanguageServer } from './lsp/server.ts';
import { applyEdit } from './lsp/workspace.ts';
import { ask, audited, compared, connected, panel, session, tell, trace, type TracePlace } from './studio.ts';

let server: LanguageServer;
let count = 0;

export function serveCommands(of: LanguageServer): void {
  server = of;
}

interface Subject {
  readonly uri?: string;
  readonly task?: string;
  readonly runId?: string;
  readonly runIds?: readonly string[];
}

export async function execute(command: Command): Promise<void> {
  const subject = (command.arguments?.[0] ?? {}) as Subject;
  const path = toPath(session.value?.root_uri ?? '', subject.uri ?? '') ?? '';
  if (command.command === 'waza.showReport') {
    showTrace(subject.runId ?? '', subject.task);
  } else if (command.command === 'waza.showAudit') {
    audited.value = { path, ...(subject.task !== undefined && { task: subject.task }) };
    panel.value = 'audit';
  } else if (command.command === 'waza.compareRuns' && subject.runIds?.length === 2) {
    compared.value = subject.runIds as [string, string];
    panel.value = 'compare';
  } else {
    if (EXECUTES.test(command.command) && !(await isTrusted())) {
      return;
    }
    // A run reads the files on disk.
    await documents.saveAll();
    const token = `studio-${Date.now()}-${++count}`;
    try {
      const answer = await server.execute(command.command, [{ ...subject, token }, ...(command.arguments ?? []).slice(1)]);
      showAnswer(command.command, answer);
    } catch (error) {
      if (!/cancel/i.test((error as Error).message)) {
        tell((error as Error).message, 'error');
      }
    }
  }
}

/** Commands that the server refuses in a folder that is not trusted. */
const EXECUTES = /^waza\.(run|rerun|grade|keepCounterExample)/;

interface Explained {
  readonly grader: string;
  readonly passed: number;
  readonly failed: number;
  readonly trials: readonly { readonly task: string; readonly trial: number; readonly status: string; readonly message: string }[];
}

/** Show the answers that say something new; verdicts of runs stand at their lines. */
function showAnswer(command: string, answer: unknown): void {
  if (command === 'waza.explainGrader' && answer !== null) {
    const { grader, passed, failed, trials } = answer as Explained;
    const reasons = trials.filter((it) => it.status !== 'passed').map((it) => `${it.task} #${it.trial}: ${it.message}`);
    tell([`${grader}: ${passed} recorded trials pass, ${failed} fail.`, ...reasons.slice(0, 10)].join('\n'));
  } else if (command === 'waza.keepCounterExample' && answer !== null) {
    tell(`Written: ${(answer as { path: string }).path}`);
  }
}

export function showTrace(run: string, task?: string, check?: TracePlace['check']): void {
  if (run === '') {
    tell('This result comes from recordings in files. Run the task once to get its trace.');
    return;
  }
  trace.value = { run, ...(task !== undefined && { task }), ...(check !== undefined && { check }) };
  panel.value = 'trace';
}

export async function perform(view: EditorView, action: CodeAction | Command): Promise<void> {
  if (typeof action.command === 'string') {
    await execute(action as Command);
    return;
  }
  const { edit, command, disabled } = action as CodeAction;
  if (disabled !== undefined) {
    tell(disabled.reason);
    return;
  }
  if (edit !== undefined) {
    const { applied, failureReason } = await applyEdit(server.client, edit);
    if (!applied) {
      tell(failureReason ?? 'The fix cannot be applied.', 'warning');
      return;
    }
  }
  if (command !== undefined) {
    await execute(command);
  }
  if (LSPPlugin.get(view) !== null) {
    view.focus();
  }
}

/** Write a check of the trace viewer into the task, and show it. */
export async function insertCheck(evalPath: string, task: string, yaml: string): Promise<void> {
  const items = await server.request<Item[]>('waza/tests', {});
  const evals = items.filter((it) => it.uri === evalPath || it.uri.endsWith(encodeURI(evalPath)));
  const found = findTask(evals, task) ?? findTask(items, task);
  const path = toPath(session.value?.root_uri ?? '', found?.uri ?? '');
  if (found === null || path === null) {
    tell(`The eval has no task ${task} any more.`, 'warning');
    return;
  }
  const { view } = await documents.load(path);
  const { at, text } = insertion(view.state.doc.toString().split('\n'), found, yaml);
  const from = offsetOf(view.state.doc, at);
  view.dispatch({ changes: { from, insert: text }, userEvent: 'input.complete' });
  await documents.show(path, { line: at.line + 1 });
}

export async function trust(): Promise<void> {
  try {
    await trustFolder();
  } catch (error) {
    tell((error as Error).message, 'error');
    return;
  }
  if (session.value !== null) {
    session.value = { ...session.value, trusted: true };
  }
  const begun = new Promise<void>((resolve) => {
    const leave = connected.follow((it) => {
      if (it === 'connected') {
        leave();
        resolve();
      }
    });
  });
  server.restart();
  await begun;
}

/** Whether the user trusts the folder, or does so now. */
async function isTrusted(): Promise<boolean> {
  if (session.value?.trusted !== true) {
    await askToTrust();
  }
  return session.value?.trusted === true;
}

/** Ask whether the user trusts the folder. Two commands share one question. */
export const askToTrust = shared(async (): Promise<void> => {
  const question = session.value?.trust_question || 'Nothing runs until you trust this folder. Its evals may start programs on your machine.';
  if ((await ask(question, ['Trust this folder', 'Not now'])) === 'Trust this folder') {
    await trust();
  }
});
