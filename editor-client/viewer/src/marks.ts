/** What failed checks point to, and the marks that lead back from there. Pure. */

import { rowsOf } from './steps.ts';
import type { Check, Grader, Target, Trial } from './trace.ts';

export interface Mark {
  readonly grader: number;
  readonly check: number;
  readonly name: string;
  readonly message: string;
  readonly target: Target | undefined;
}

/** Return the failed checks of a trial, in the order of the graders. A failed grader without checks counts as one. */
export function marksOf(trial: Trial): Mark[] {
  return trial.graders.flatMap((grader, place) => {
    if (grader.status === 'passed') {
      return [];
    }
    const checks: readonly Check[] = grader.checks.length > 0 ? grader.checks : [{ message: whole(grader) }];
    return checks.map((it, index) => ({
      grader: place,
      check: index,
      name: grader.name || grader.type,
      message: it.message,
      target: it.target ?? undefined,
    }));
  });
}

function whole(grader: Grader): string {
  return grader.feedback || (grader.status === 'error' ? 'Ended with an error.' : 'Failed.');
}

/** The step at which a mark is shown. A file is shown at the last step that changed it, or else at the last one. */
export function stepOf(trial: Trial, target: Target): number {
  const rows = rowsOf(trial);
  switch (target.kind) {
    case 'step':
      return target.step;
    case 'output':
      return rows.find((it) => it.isOutput)?.n ?? rows.at(-1)?.n ?? 0;
    case 'file': {
      const last = trial.workspace.changes.findLast((it) => it.path === target.path);
      return last?.step ?? rows.at(-1)?.n ?? 0;
    }
  }
}

/** Return the marks of each step. */
export function marksByStep(trial: Trial, marks: readonly Mark[]): Map<number, Mark[]> {
  const found = new Map<number, Mark[]>();
  for (const mark of marks) {
    if (mark.target === undefined) {
      continue;
    }
    const step = stepOf(trial, mark.target);
    found.set(step, [...(found.get(step) ?? []), mark]);
  }
  return found;
}
