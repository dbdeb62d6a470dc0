/** Messages of the Testing view: at failed checks, and as output. */

import { Location, TestMessage, Uri, type TestItem } from 'vscode';

import type { Reason, Told, Verdict } from './protocol';
import { toRange } from './testTree';

const marks: Record<string, string> = { passed: '✓', failed: '✗', error: '⚠', skipped: '○' };

export function failedMessages({ messages, score }: Verdict, item: TestItem): TestMessage[] {
  return messages.length > 0
    ? messages.map((it) => placed(it, item))
    : [taskMessage(`Not passed: score ${score.toFixed(2)}.`, item)];
}

/** A message about the whole task, on its first line. */
export function taskMessage(text: string, item: TestItem): TestMessage {
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

function placed({ message, uri, range }: Reason, item: TestItem): TestMessage {
  if (!range) {
    return taskMessage(message, item);
  }
  const found = new TestMessage(message);
  found.location = new Location(Uri.parse(uri), toRange(range));
  return found;
}
