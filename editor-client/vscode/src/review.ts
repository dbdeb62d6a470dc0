/** Verdicts of people for `human` graders: choose what waits in the last run, decide, comment. */

import { commands, window, type QuickPickItem, type Uri } from 'vscode';

import { offer } from './offer';
import type { Ask } from './recordedRuns';

interface Pending {
  task: string;
  trial: number;
  grader: string;
  instructions: string;
  criteria: string[];
  output: string;
}

interface Reviews {
  runId: string;
  pending: Pending[];
}

const shownCharacters = 300;

/** The argument of `waza.review`, or undefined if nothing waits or the user decides nothing. */
export async function verdictOn(uri: Uri, ask: Ask): Promise<object | undefined> {
  const about = { uri: uri.toString() };
  const found = await ask<Reviews>('workspace/executeCommand', { command: 'waza.pendingReviews', arguments: [about] });
  if (!found) {
    return undefined; // The server has said why.
  }
  if (found.pending.length === 0) {
    offer('Nothing in the last run waits for your review.', 'Show Report', 'waza.showReport');
    return undefined;
  }
  const items = found.pending.map((it) => ({
    label: it.grader,
    description: `${it.task}, trial ${it.trial}`,
    detail: it.instructions || it.criteria.join(' · '),
    it,
  }));
  const item = items.length > 1 ? await window.showQuickPick(items, { title: 'Review', matchOnDetail: true }) : items[0];
  return item && decide({ ...about, runId: found.runId }, item.it);
}

async function decide(run: { uri: string; runId: string }, it: Pending): Promise<object | undefined> {
  const answers: (QuickPickItem & { passed?: boolean })[] = [
    { label: '$(pass) Passed', passed: true },
    { label: '$(error) Failed', passed: false },
    { label: '$(book) Show the report first', detail: oneLine(it.output) },
  ];
  const answer = await window.showQuickPick(answers, {
    title: `${it.grader} on ${it.task}, trial ${it.trial}`,
    placeHolder: oneLine([it.instructions, ...it.criteria].filter(Boolean).join(' · ')) || 'Your verdict',
    ignoreFocusOut: true,
  });
  if (!answer) {
    return undefined;
  }
  if (answer.passed === undefined) {
    await commands.executeCommand('waza.showReport', run);
    return undefined;
  }
  const comment = await window.showInputBox({
    title: 'Review',
    prompt: 'The reason for your verdict (may be empty)',
    ignoreFocusOut: true,
  });
  const { task, trial, grader } = it;
  return comment === undefined ? undefined : { ...run, task, trial, grader, passed: answer.passed, comment };
}

export async function showLeft(answer: unknown): Promise<void> {
  const { pending } = (answer ?? {}) as Partial<Reviews>;
  if (!pending) {
    return;
  }
  const next = 'Next';
  const message = pending.length > 0 ? `Recorded. ${pending.length} more to review.` : 'Recorded. Nothing is left to review.';
  if ((await window.showInformationMessage(message, ...(pending.length > 0 ? [next] : []))) === next) {
    await commands.executeCommand('waza.review');
  }
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > shownCharacters ? `${line.slice(0, shownCharacters)}...` : line;
}
