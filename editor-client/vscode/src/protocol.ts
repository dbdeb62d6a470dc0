/** The server's messages beyond LSP, see docs/protocol.md of the repository. Unused members are left out. */

import type { Range } from 'vscode-languageclient/node';

/** An item of the `waza/tests` tree. */
export interface Runnable {
  key: string;
  id: string;
  label: string;
  kind: 'eval' | 'task' | 'experiment' | 'variant' | 'grader';
  uri: string;
  pointer: (string | number)[];
  range: Range;
  tags?: string[];
  verdict: StoredVerdict | null;
  children: Runnable[];
  /** Its place among its siblings, in changes. */
  index?: number;
}

/** The answer of `waza/tests {since}`: the whole tree, or what has changed in it. Parents of roots are null. */
export interface TreeChanges {
  version: number;
  items: Runnable[] | null;
  changed: (Partial<Runnable> & { key: string; parent: string | null })[];
  removed: { key: string; parent: string | null }[];
  /** Items from a line of a file on have moved by so many lines. */
  moved: { uri: string; line: number; lines: number }[];
  /** Items from an index of a list in a file on have an index that is greater by so much. */
  pointers: { uri: string; list: (string | number)[]; index: number; by: number }[];
  /** Siblings from a place on have a place that is further down by so much. */
  places: { parent: string | null; index: number; by: number }[];
  /** Whether evals are missing, or as they were, that the next request brings. */
  more?: boolean;
}

/** The last verdict of an item. The first member is the same for all verdicts of a run. */
export interface StoredVerdict {
  runId: string;
  status: string;
  score: number;
  at: number;
  stale?: boolean;
  messages?: Reason[];
}

/** The response of `waza/document` about an eval file. */
export interface About {
  dialect: string;
  kind: string;
  reason: string;
}

interface GraderOutcome {
  name: string;
  status: string;
  score: number;
  feedback: string;
}

/** The reason why a task did not pass, at its place in a file. Without a range if that place is gone. */
export interface Reason {
  message: string;
  uri: string;
  range: Range | null;
  key: string;
  /** Two texts to compare, if the check looked for something. */
  expected?: string;
  actual?: string;
  /** The recorded lines around the place, with their numbers. */
  excerpt?: string;
}

/** What a grader made of its trials. */
export interface GraderTotals {
  key: string;
  status: string;
  passed: number;
  total: number;
}

interface TrialFinished {
  event: 'trial_finished';
  task: string;
  trial: number;
  status: string;
  score: number;
  /** Absent in runs that were killed. */
  duration_ms?: number;
  error: string;
  graders: GraderOutcome[];
}

export interface Verdict {
  status: string;
  score: number;
  messages: Reason[];
}

/** The verdicts of tasks after an edit, from the recordings of their last run. */
export interface LiveVerdicts {
  uri: string;
  verdicts: {
    key: string;
    status: 'passed' | 'failed';
    messages: Reason[];
    graders: { key: string; status: string }[];
  }[];
}

interface TaskFinished extends Verdict {
  event: 'task_finished';
  task: string;
  error: string;
  /** The time from its start to its end. */
  wall_ms?: number;
  cancelled?: boolean;
  /** Graded with some of its graders only: no verdict on the task. */
  partial?: boolean;
  graders?: GraderTotals[];
}

/** The events that the extension uses. `key` identifies the item of the event. */
export type RunEvent = { run_id: string; token: string; key: string } & (
  | { event: 'run_started'; name: string; keys: string[] }
  | { event: 'task_started'; task: string }
  | { event: 'trial_progress'; task: string; trial: number; text: string }
  | TrialFinished
  | TaskFinished
  | { event: 'decided'; task: string; decision: string; count: number; mean: number; reason: string }
  | { event: 'note'; level: string; message: string }
  | { event: 'run_finished'; status: string; score: number; error: string; graders?: GraderTotals[] }
);

/** An event of one kind. */
export type Told<Name extends RunEvent['event']> = RunEvent & { event: Name };
