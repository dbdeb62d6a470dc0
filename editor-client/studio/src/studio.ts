/** The state that the panels share. */

import type { Entry, Session } from './api.ts';
import { Observable } from './observable.ts';

export interface Problem {
  readonly path: string;
  readonly from: number;
  readonly line: number;
  readonly severity: 'error' | 'warning' | 'info' | 'hint';
  readonly message: string;
  readonly code: string;
}

export type PanelName = 'outline' | 'runs' | 'trace' | 'compare' | 'audit';

/** What the trace panel shows: a run, and the task whose failed check is looked for. */
export interface TracePlace {
  readonly run: string;
  readonly task?: string;
  /** The place of the check in the eval, from which the panel finds the step. */
  readonly check?: { readonly path: string; readonly line: number; readonly message: string };
  /** Where the viewer was before the page was loaded again. */
  readonly fragment?: string;
}

export interface Work {
  readonly token: string | number;
  readonly title: string;
  readonly message: string;
  readonly percentage: number | null;
  readonly canCancel: boolean;
}

export interface Question {
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly answers: readonly string[];
  /** Whether the language server waits for the answer. */
  readonly isServers: boolean;
  readonly answer: (chosen: string | null) => void;
}

export type Connected = 'connecting' | 'connected' | 'lost';

export const session = new Observable<Session | null>(null);
export const entries = new Observable<readonly Entry[]>([]);
export const isTruncated = new Observable(false);
export const connected = new Observable<Connected>('connecting');
export const problems = new Observable<ReadonlyMap<string, readonly Problem[]>>(new Map());
export const works = new Observable<readonly Work[]>([]);
export const questions = new Observable<readonly Question[]>([]);
export const panel = new Observable<PanelName>('outline');
export const trace = new Observable<TracePlace | null>(null);
export const audited = new Observable<{ readonly path: string; readonly task?: string } | null>(null);
export const compared = new Observable<readonly [string, string] | null>(null);
/** Counts the runs that have ended, so that panels read them again. */
export const runsChanged = new Observable(0);

/** Show a sentence that needs no answer. */
export function tell(message: string, severity: Question['severity'] = 'info'): void {
  void ask(message, [], severity);
}

export function ask(
  message: string,
  answers: readonly string[],
  severity: Question['severity'] = 'info',
  isServers = false,
): Promise<string | null> {
  return new Promise((resolve) => {
    const question: Question = {
      severity,
      message,
      answers,
      isServers,
      answer: (chosen) => {
        questions.value = questions.value.filter((it) => it !== question);
        resolve(chosen);
      },
    };
    // The same sentence twice tells nothing more.
    const others = questions.value.filter((it) => answers.length > 0 || it.answers.length > 0 || it.message !== message);
    questions.value = [...others, question].slice(-6);
  });
}
