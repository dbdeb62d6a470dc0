/** A trial that is open, with everything that its panes share. Pure. */

import { marksByStep, marksOf, type Mark } from './marks.ts';
import { rowsOf, type Row } from './steps.ts';
import type { Trial, TrialHead } from './trace.ts';
import { changesByStep } from './workspace.ts';

export interface Opened {
  readonly place: number;
  readonly head: TrialHead;
  readonly trial: Trial;
  readonly rows: readonly Row[];
  readonly marks: readonly Mark[];
  readonly marksByStep: ReadonlyMap<number, readonly Mark[]>;
  readonly changes: ReadonlyMap<number, readonly string[]>;
}

export function opened(place: number, head: TrialHead, trial: Trial): Opened {
  const marks = marksOf(trial);
  return {
    place,
    head,
    trial,
    rows: rowsOf(trial),
    marks,
    marksByStep: marksByStep(trial, marks),
    changes: changesByStep(trial.workspace),
  };
}

/** The place of the row with this number, or of the last one before it. */
export function indexOf(rows: readonly Row[], n: number): number {
  return Math.max(0, rows.findLastIndex((it) => it.n <= n));
}
