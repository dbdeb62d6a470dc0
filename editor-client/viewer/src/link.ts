/** Links to a step: the fragment of the page's address, `#task=ID&trial=1&step=N`. */

import type { TrialHead } from './trace.ts';

export interface Place {
  /** Place of the trial in the index. */
  readonly trial: number;
  readonly step?: number;
  /** Place of the trial beside it. */
  readonly beside?: number;
  /** Grader and check, from 0. */
  readonly check?: readonly [number, number];
  readonly file?: string;
  readonly line?: number;
}

export function toFragment(trials: readonly TrialHead[], place: Place): string {
  const head = trials[place.trial];
  if (head === undefined) {
    return '';
  }
  const words = new URLSearchParams({ task: head.task, trial: String(head.trial) });
  const nth = sameTrials(trials, head.task, head.trial).indexOf(place.trial);
  if (nth > 0) {
    words.set('nth', String(nth + 1));
  }
  if (place.step !== undefined) {
    words.set('step', String(place.step));
  }
  const beside = place.beside === undefined ? undefined : trials[place.beside];
  if (beside !== undefined) {
    words.set('with', String(beside.trial));
    if (beside.task !== head.task) {
      words.set('with-task', beside.task);
    }
    const nthBeside = sameTrials(trials, beside.task, beside.trial).indexOf(place.beside ?? -1);
    if (nthBeside > 0) {
      words.set('with-nth', String(nthBeside + 1));
    }
  }
  if (place.check !== undefined) {
    words.set('check', place.check.map((it) => it + 1).join('.'));
  }
  if (place.file !== undefined) {
    words.set('file', place.file);
  }
  if (place.line !== undefined) {
    words.set('line', String(place.line));
  }
  return `#${words}`;
}

/** The place that a fragment names; nothing if the page has no such trial. */
export function fromFragment(trials: readonly TrialHead[], fragment: string): Place | undefined {
  const words = new URLSearchParams(fragment.replace(/^#/, ''));
  const task = words.get('task');
  if (task === null) {
    return undefined;
  }
  const trial = find(trials, task, words.get('trial'), words.get('nth'));
  if (trial === undefined) {
    return undefined;
  }
  const beside = words.has('with')
    ? find(trials, words.get('with-task') ?? task, words.get('with'), words.get('with-nth'))
    : undefined;
  const step = natural(words.get('step'));
  const check = /^(\d+)\.(\d+)$/.exec(words.get('check') ?? '');
  const line = natural(words.get('line'));
  const file = words.get('file');
  return {
    trial,
    ...(step !== undefined && { step }),
    ...(beside !== undefined && beside !== trial && { beside }),
    ...(check !== null && { check: [Number(check[1]) - 1, Number(check[2]) - 1] as const }),
    ...(file !== null && { file }),
    ...(line !== undefined && { line }),
  };
}

function find(
  trials: readonly TrialHead[],
  task: string,
  trial: string | null,
  nth: string | null,
): number | undefined {
  const number = natural(trial);
  const wanted = number ?? trials.find((it) => it.task === task)?.trial;
  return wanted === undefined ? undefined : sameTrials(trials, task, wanted)[(natural(nth) ?? 1) - 1];
}

function sameTrials(trials: readonly TrialHead[], task: string, trial: number): number[] {
  return trials.flatMap((it, place) => (it.task === task && it.trial === trial ? [place] : []));
}

function natural(word: string | null): number | undefined {
  return word !== null && /^\d{1,9}$/.test(word) ? Number(word) : undefined;
}
