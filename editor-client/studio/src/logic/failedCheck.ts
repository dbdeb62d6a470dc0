/** Finds the check of a trace that a line of the editor speaks of. Pure. */

import type { Trial } from '../../../viewer/src/trace.ts';

export interface Wanted {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

/** The grader and the check, from 0, that fit best; null if the trial has no such check. */
export function findCheck(trial: Trial, wanted: Wanted): readonly [number, number] | null {
  let best: readonly [number, number] | null = null;
  let most = 0;
  trial.graders.forEach((grader, g) => {
    grader.checks.forEach((check, c) => {
      const source = check.source ?? grader.source;
      const isSamePlace = source != null && source.line === wanted.line && endsAlike(source.file, wanted.path);
      const isSameText = check.message !== '' && wanted.message.startsWith(check.message.split('\n', 1)[0] ?? '');
      const fits = (isSamePlace ? 2 : 0) + (isSameText ? 1 : 0);
      if (fits > most) {
        most = fits;
        best = [g, c];
      }
    });
  });
  return best;
}

/** Reports name files from the root of a repository, the studio from its folder. */
function endsAlike(one: string, other: string): boolean {
  return `/${one}`.endsWith(`/${other}`) || `/${other}`.endsWith(`/${one}`);
}
