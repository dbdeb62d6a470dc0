/** What the conversation shows: the steps of a trial, and the prompt, output and error that no step has. */

import { firstLine, isRecord } from './format.ts';
import type { Kind, Step, Trial } from './trace.ts';

export interface Row {
  /** The number of the step; 0 for the prompt, and one more than the last for output and error. */
  readonly n: number;
  readonly step: Step;
  /** The text is the output, which checks point into by line. */
  readonly isOutput: boolean;
}

export function rowsOf(trial: Trial): Row[] {
  const rows: Row[] = trial.steps.map((step) => ({ n: step.n, step, isOutput: false }));
  const last = trial.steps.at(-1)?.n ?? 0;
  const lastTurn = trial.steps.at(-1)?.turn ?? 0;
  if (trial.prompt !== '' && !trial.steps.some((it) => it.kind === 'user')) {
    rows.unshift({ n: 0, step: made(0, 'user', trial.prompt, 1), isOutput: false });
  }
  const said = rows.findLastIndex((it) => it.step.kind === 'agent' && it.step.text.trim() === trial.output.trim());
  const row = rows[said];
  if (row !== undefined) {
    rows[said] = { ...row, step: { ...row.step, text: trial.output }, isOutput: true };
  } else if (trial.output !== '') {
    rows.push({ n: last + 1, step: made(last + 1, 'agent', trial.output, lastTurn), isOutput: true });
  }
  if (trial.error !== '' && !trial.steps.some((it) => it.kind === 'error' && it.text.includes(trial.error))) {
    const n = (rows.at(-1)?.n ?? 0) + 1;
    rows.push({ n, step: made(n, 'error', trial.error, lastTurn), isOutput: false });
  }
  return rows;
}

function made(n: number, kind: Kind, text: string, turn: number): Step {
  return { n, kind, turn, at_ms: null, duration_ms: null, text };
}

export function isError(step: Step): boolean {
  return step.kind === 'error' || step.call?.success === false;
}

export const KIND_WORDS: Readonly<Record<Kind, string>> = {
  user: 'User',
  agent: 'Agent',
  reasoning: 'Reasoning',
  tool: 'Tool',
  skill: 'Skill',
  error: 'Error',
  system: 'System',
  other: 'Event',
};

/** The name of a step: the tool's, or that of its kind. */
export function titleOf(row: Row): string {
  return row.step.call?.name ?? (row.isOutput ? 'Output' : (KIND_WORDS[row.step.kind] ?? KIND_WORDS.other));
}

/** The arguments that say most about a call, in the order in which they are looked for. */
const TELLING = ['command', 'cmd', 'path', 'file_path', 'filePath', 'file', 'pattern', 'query', 'url', 'skill', 'name', 'description'];

/** One line on what a call does. */
export function gist(step: Step): string {
  const call = step.call;
  if (!call) {
    return firstLine(step.text);
  }
  if (!isRecord(call.arguments)) {
    return typeof call.arguments === 'string' ? firstLine(call.arguments) : '';
  }
  const values = call.arguments;
  const telling = TELLING.find((it) => typeof values[it] === 'string' && values[it] !== '');
  const first = telling ?? Object.keys(values).find((it) => typeof values[it] === 'string');
  return first === undefined ? '' : firstLine(values[first] as string);
}
