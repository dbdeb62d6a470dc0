/** The runs in the stores of the workspace, as the server lists them (`waza/runs`). */

export interface RecordedRun {
  runId: string;
  /** The eval's. */
  uri: string;
  status: string;
  score: number | null;
  /** Seconds since 1970. */
  startedAt: number;
  finishedAt: number | null;
  executor: string;
  model: string;
  tasks: number;
  trials: number;
  /** The arm of an experiment, else empty. */
  variant: string;
}

export interface RecordedEval {
  uri: string;
  name: string;
  count: number;
  last: RecordedRun;
}

export interface RecordedEvals {
  evals: RecordedEval[];
  problems: string[];
}

export interface RunsPage {
  runs: RecordedRun[];
  more: boolean;
  problems: string[];
}

export const runsMethod = 'waza/runs';

/** Sends a request to the server. */
export type Ask = <Answer>(method: string, params: object) => Promise<Answer | undefined>;

/** The time at which a run started, as the user writes times; the year only if it is not this one. */
export function startTime({ startedAt }: RecordedRun, language: string): string {
  const start = new Date(startedAt * 1000);
  const isThisYear = start.getFullYear() === new Date().getFullYear();
  return start.toLocaleString(language, {
    ...(isThisYear ? {} : { year: 'numeric' }),
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  });
}

/** The run's score, or why it has none. */
export function scoreOf({ score, status }: RecordedRun): string {
  return score?.toFixed(2) ?? (status === 'broken' ? 'unfinished' : status);
}

export function agentOf({ executor, model, variant }: RecordedRun): string {
  return [variant, [executor, model].filter(Boolean).join(' ')].filter(Boolean).join(' · ');
}
