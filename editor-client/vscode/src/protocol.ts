/** What the server says beyond LSP: docs/protocol.md of the repository. Members that are not used here are left out. */

import type { Range } from 'vscode-languageclient/node';

/** Part of the tree that `waza/tests` answers. Graders stand in it, too: the Testing view leaves them out. */
export interface Runnable {
  key: string;
  id: string;
  label: string;
  kind: 'eval' | 'task' | 'experiment' | 'variant' | 'grader';
  uri: string;
  range: Range;
  children: Runnable[];
}

/** What `waza/document` answers about an eval file. */
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

/** Why a task did not pass, at its place in a file; without a range where that place is gone. */
export interface Reason {
  message: string;
  uri: string;
  range: Range | null;
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

interface TaskFinished extends Verdict {
  event: 'task_finished';
  task: string;
  error: string;
}

/** Those of the events that something is made of here. `key` names the item that the event is about. */
export type RunEvent = { run_id: string; token: string; key: string } & (
  | { event: 'run_started'; name: string; keys: string[] }
  | { event: 'task_started'; task: string }
  | { event: 'trial_progress'; task: string; trial: number; text: string }
  | TrialFinished
  | TaskFinished
  | { event: 'note'; level: string; message: string }
  | { event: 'run_finished'; status: string; score: number; error: string }
);

/** An event of one kind. */
export type Told<Name extends RunEvent['event']> = RunEvent & { event: Name };
