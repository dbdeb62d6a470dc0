/** Shows the result of a run in one sentence, with a button for the report. */

import { commands, window } from 'vscode';

interface TaskVerdict {
  id: string;
  status: string;
  score?: number | null;
}

interface Verdict {
  runId: string;
  status: string;
  score?: number | null;
  tasks: TaskVerdict[];
}

const report = 'Show Report';

/** A message of VS Code is one line. */
const mostNames = 3;

/** Shows the result of a server command if it is the result of a run. */
export async function showVerdict(result: unknown): Promise<void> {
  // The server reports itself why a run graded nothing.
  if (!isVerdict(result) || (result.status === 'error' && result.tasks.length === 0)) {
    return;
  }
  const isFine = result.status === 'passed' || result.status === 'cancelled';
  const show = isFine ? window.showInformationMessage : window.showWarningMessage;
  const canReport = (await commands.getCommands(true)).includes('waza.showReport');
  const answer = await show(sentence(result), ...(canReport ? [report] : []));
  if (answer === report) {
    await commands.executeCommand('waza.showReport', { runId: result.runId });
  }
}

function isVerdict(result: unknown): result is Verdict {
  const verdict = result as Partial<Verdict> | null | undefined;
  return typeof verdict?.runId === 'string' && typeof verdict.status === 'string' && Array.isArray(verdict.tasks);
}

function sentence({ status, score, tasks: all }: Verdict): string {
  const cancelled = status === 'cancelled';
  const tasks = cancelled ? all.filter((it) => it.status !== 'skipped') : all;
  if (cancelled && tasks.length === 0) {
    return 'Cancelled before a task finished';
  }
  const [only] = tasks;
  if (only && all.length === 1) {
    return `${only.id}: ${only.status || status}${inBrackets(only.score)}`;
  }
  const others = tasks.filter((it) => it.status !== 'passed').map((it) => it.id);
  const count = `${tasks.length - others.length} of ${tasks.length} ${cancelled ? 'finished ' : ''}tasks passed`;
  const more = others.length - mostNames;
  const named = [...others.slice(0, mostNames), ...(more > 0 ? [`${more} more`] : [])].join(', ');
  const names = named ? `, not ${named}` : '';
  const begin = cancelled ? 'Cancelled: ' : '';
  return tasks.length > 0 ? `${begin}${count}${inBrackets(score)}${names}` : `Run ${status}`;
}

function inBrackets(score: number | null | undefined): string {
  return typeof score === 'number' ? ` (score ${score.toFixed(2)})` : '';
}
