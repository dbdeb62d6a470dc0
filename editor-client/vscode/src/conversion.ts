/** Converting an eval to the other dialect: what will be lost is shown first, then where the files are. */

import * as path from 'node:path';
import { Uri, window, workspace, type LogOutputChannel } from 'vscode';

import type { Ask } from './recordedRuns';
import { offerFolder } from './written';

const mostLines = 8;

interface Loss {
  message: string;
  kept: boolean;
  uri?: string;
}

interface Conversion {
  /** The eval's, also if the command was about one of its tasks. */
  uri: string;
  to: string;
  files: string[];
  lost: Loss[];
}

/** The argument of the command, if the user still wants the conversion after seeing its plan. */
export async function conversionOf(uri: Uri, ask: Ask): Promise<object | undefined> {
  const about = { uri: uri.toString() };
  const plan = await ask<Conversion>('workspace/executeCommand', {
    command: 'waza.convert',
    arguments: [{ ...about, plan: true }],
  });
  if (!plan) {
    return undefined; // The server has said why.
  }
  const files = plan.files.map((it) => workspace.asRelativePath(Uri.parse(it)));
  const losses = plan.lost.length > 0 ? firstOf(plan.lost.map(lossText)) : ['Nothing is lost.'];
  const detail = [...losses, '', 'New files:', ...firstOf(files).map((it) => `  ${it}`)].join('\n');
  const question = `Convert ${workspace.asRelativePath(Uri.parse(plan.uri))} to ${plan.to}?`;
  const answer = await window.showInformationMessage(question, { modal: true, detail }, 'Convert');
  return answer === 'Convert' ? { ...about, to: plan.to } : undefined;
}

/** The first lines, because a dialog is as tall as its text. */
function firstOf(lines: string[]): string[] {
  const more = lines.length - mostLines;
  return [...lines.slice(0, mostLines), ...(more > 0 ? [`and ${more} more`] : [])];
}

function lossText({ message, kept }: Loss): string {
  return `${kept ? 'Kept as a comment' : 'Note'}: ${message}`;
}

export async function showConversion(answer: unknown, log: LogOutputChannel): Promise<void> {
  const { files, lost } = (answer ?? {}) as Partial<Conversion>;
  if (!files || !lost || files.length === 0) {
    return;
  }
  // The editor has created the files, but not saved them.
  await Promise.all(files.map(async (it) => (await workspace.openTextDocument(Uri.parse(it))).save()));
  lost.forEach((it) => log.info(lossText(it)));
  const first = Uri.parse(files.find((it) => /eval\.ya?ml$/.test(it)) ?? files[0] ?? '');
  await window.showTextDocument(first);
  const folder = Uri.file(path.dirname(first.fsPath));
  const written = `Wrote ${files.length} ${files.length === 1 ? 'file' : 'files'}.`;
  await (lost.length > 0
    ? offerFolder(`${written} ${lost.length} notes are in the log.`, folder, 'waza.showLogs')
    : offerFolder(written, folder));
}
