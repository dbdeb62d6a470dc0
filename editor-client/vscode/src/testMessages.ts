/** Messages of the Testing view: at failed checks, and as output. */

import { Location, TestMessage, Uri, type TestItem } from 'vscode';

import type { Reason, Told } from './protocol';
import { toRange } from './ranges';

const marks: Record<string, string> = { passed: '✓', failed: '✗', error: '⚠', skipped: '○' };

/** Return the reasons of a failure, or one sentence without them. */
export function failedMessages(reasons: Reason[], instead: string, item: TestItem): TestMessage[] {
  return reasons.length > 0 ? reasons.flatMap((it) => placed(it, item)) : [itemMessage(instead, item)];
}

/** A message about a whole item, on its first line. */
export function itemMessage(text: string, item: TestItem): TestMessage {
  const message = new TestMessage(text);
  if (item.uri && item.range) {
    message.location = new Location(item.uri, item.range.start);
  }
  return message;
}

export function trialLines({ task, trial, status, score, error, graders }: Told<'trial_finished'>): string {
  const lines = graders.map((it) => {
    const why = it.status === 'passed' ? '' : `: ${it.feedback}`;
    return `  ${marks[it.status] ?? '?'} ${it.name} ${it.score.toFixed(2)}${why}`;
  });
  return [`${task}, trial ${trial}: ${error || `${status}, score ${score.toFixed(2)}`}`, ...lines].join('\n');
}

export function decisionLine({ task, decision, count, mean, reason }: Told<'decided'>): string {
  const why = reason && ` (${reason})`;
  return `${decision.toUpperCase()} ${task || 'this run'}: ${Math.round(mean * 100)} % in ${count} ${task ? 'trials' : 'tasks'}${why}`;
}

/**
 * The sentence of a reason, and its comparison as a message of its own: beside a line, VS Code shows the first message
 * only, and of one with a comparison it shows the beginnings of the two texts instead of the sentence.
 */
function placed({ message, uri, range, expected, actual, excerpt }: Reason, item: TestItem): TestMessage[] {
  const found = [itemMessage(excerpt ? `${message}\n\n${excerpt}` : message, item)];
  if (expected !== undefined && actual !== undefined) {
    const comparison = itemMessage(`Comparison: ${message}`, item);
    comparison.expectedOutput = expected;
    comparison.actualOutput = actual;
    found.push(comparison);
  }
  if (range) {
    const place = new Location(Uri.parse(uri), toRange(range));
    found.forEach((it) => (it.location = place));
  }
  return found;
}
