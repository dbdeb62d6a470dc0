/** A trial that is open, with everything that its panes share. Pure. */

import type { Place } from './link.ts';
import { marksByStep, marksOf, stepOf, type Mark } from './marks.ts';
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

/** Where a failed check leads: its step, and the line of the file or of the output. */
export function placeOf({ place, trial }: Opened, mark: Mark): Place {
  const check = [mark.grader, mark.check] as const;
  const { target } = mark;
  if (target === undefined) {
    return { trial: place, check };
  }
  const file = target.kind === 'file' ? { file: target.path } : {};
  const line = target.kind !== 'step' && target.line > 0 ? { line: target.line } : {};
  return { trial: place, step: stepOf(trial, target), check, ...file, ...line };
}

/** A place without a step is that of its check, of the first failed check, or the first step. */
export function resolved(opened: Opened, place: Place): Place {
  if (place.step !== undefined) {
    // A link may name a step that the trial lacks.
    return { ...place, step: opened.rows[indexOf(opened.rows, place.step)]?.n ?? place.step };
  }
  const own = opened.marks.find((it) => it.grader === place.check?.[0] && it.check === place.check[1]);
  const mark = own ?? opened.marks.find((it) => it.target !== undefined);
  return { step: opened.rows[0]?.n ?? 0, ...(mark && placeOf(opened, mark)), ...place };
}
