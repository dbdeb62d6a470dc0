/** Verdicts on items of the Testing view: on tasks, and on the graders below them. */

import type { TestItem, TestRun } from 'vscode';

import type { GraderTotals, Reason, Told } from './protocol';
import { failedMessages, itemMessage } from './testMessages';

interface Judged {
  status: string;
  /** The reasons at checks; none for a pass. */
  reasons: Reason[];
  /** What to say without a reason. */
  instead: string;
  /** Whether the items below say why. A sentence of its own would cover the hints of the item's first line. */
  isExplained?: boolean;
  durationMs?: number | undefined;
}

/** Shows a status. Anything but a verdict is shown as skipped. */
export function judge(shown: TestRun, item: TestItem, judged: Judged): void {
  const { status, reasons, instead, isExplained = false, durationMs } = judged;
  switch (status) {
    case 'passed':
      shown.passed(item, durationMs);
      break;
    case 'failed':
      shown.failed(item, isExplained && reasons.length === 0 ? [] : failedMessages(reasons, instead, item), durationMs);
      break;
    case 'error':
      shown.errored(item, failedMessages(reasons, instead, item), durationMs);
      break;
    default:
      shown.skipped(item);
  }
}

/** Shows the end of a task. Its messages stand at the graders that they are about, if those are in the tree. */
export function judgeTask(shown: TestRun, item: TestItem, event: Told<'task_finished'>): void {
  const { status, score, messages, graders = [], cancelled, partial, wall_ms: durationMs } = event;
  if (cancelled) {
    skipAll(shown, item);
    return;
  }
  const judged = new Set<string>();
  for (const totals of graders) {
    const grader = item.children.get(totals.key);
    if (grader) {
      judged.add(totals.key);
      judgeGrader(shown, grader, totals, messages);
    }
  }
  item.children.forEach((it) => !judged.has(it.id) && !partial && shown.skipped(it));
  if (!partial) {
    const reasons = messages.filter(({ key }) => !judged.has(key));
    const isExplained = messages.length > 0;
    judge(shown, item, { status, reasons, instead: sentence(status, score, graders), isExplained, durationMs });
  }
}

/** Shows what a grader made of all its trials. */
export function judgeGrader(shown: TestRun, item: TestItem, totals: GraderTotals, messages: Reason[]): void {
  const { status, passed, total } = totals;
  const reasons = messages.filter(({ key }) => key === item.id);
  judge(shown, item, { status, reasons, instead: `Passed in ${passed} of ${total} trials.` });
}

/** Shows that a task or an eval was cancelled, with everything below it. */
export function skipAll(shown: TestRun, item: TestItem): void {
  shown.skipped(item);
  item.children.forEach((it) => skipAll(shown, it));
}

export function abandoned(shown: TestRun, item: TestItem): void {
  shown.errored(item, itemMessage('The server ended during this run.', item));
}

function sentence(status: string, score: number, graders: GraderTotals[]): string {
  const failed = graders.filter((it) => it.status !== 'passed').length;
  const which = failed > 0 ? ` ${failed} of ${graders.length} graders did not pass.` : '';
  return `${status === 'error' ? 'Could not be judged.' : `Not passed: score ${score.toFixed(2)}.`}${which}`;
}
