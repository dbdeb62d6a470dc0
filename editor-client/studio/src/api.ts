/** The studio's HTTP interface. */

import type { Index, Trial } from '../../viewer/src/trace.ts';

export interface Session {
  readonly folder: string;
  readonly name: string;
  readonly trusted: boolean;
  readonly demo: boolean;
  readonly version: string;
  readonly root_uri: string;
  readonly start_file?: string;
  readonly trust_question?: string;
}

export interface Entry {
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly is_eval: boolean;
}

export interface FileText {
  readonly text: string;
  readonly version: string;
  readonly eol?: string;
}

export interface Run {
  readonly id: string;
  readonly suite: string;
  readonly path: string;
  readonly status: string;
  readonly score: number | null;
  readonly started_at: number;
  readonly executor: string;
  readonly model: string;
  readonly tasks: number;
  readonly trials: number;
  readonly variant?: string;
}

export interface History {
  readonly points: readonly { readonly run: string; readonly at: number; readonly status: string; readonly score: number | null }[];
  readonly tasks?: readonly {
    readonly id: string;
    readonly cells: readonly { readonly run: string; readonly passed: number; readonly trials: number }[];
  }[];
}

/** What `waza-lsp compare --format json` prints, as far as the page shows it. */
export interface Comparison {
  readonly aggregate_scores: readonly (number | null)[];
  readonly success_rates: readonly (number | null)[];
  readonly aggregate_score_delta: number | null;
  readonly task_deltas: readonly {
    readonly task_id: string;
    readonly display_name: string;
    readonly scores: readonly (number | null)[];
    readonly pass_rates: readonly (number | null)[];
    readonly pass_rate_delta: number | null;
    readonly evidence?: Evidence | null;
  }[];
  readonly evidence?: readonly { readonly score: Evidence | null; readonly pass_rate: Evidence | null }[];
}

export interface Evidence {
  readonly effect: number;
  readonly interval: readonly [number, number] | null;
  readonly tasks?: number;
  readonly wins?: number;
  readonly losses?: number;
  readonly ties?: number;
  readonly p_value: number | null;
  readonly p_value_corrected?: number | null;
  readonly verdict: string;
}

/** What `waza-lsp audit --format json` prints, as far as the page shows it. */
export interface Audit {
  readonly evals: readonly {
    readonly path: string;
    readonly name: string;
    readonly mutation_score: number | null;
    readonly tasks: readonly AuditedTask[];
  }[];
}

export interface AuditedTask {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly line: number;
  readonly passes_for: readonly string[];
  readonly recorded_trials: number;
  readonly mutation_score: number | null;
  readonly mutants: number;
  readonly survivors: readonly { readonly key: string; readonly mutation: string; readonly change: string; readonly before: string; readonly after: string }[];
  readonly graders: readonly {
    readonly name: string;
    readonly type: string;
    readonly path: string;
    readonly line: number;
    readonly notices: readonly string[];
    readonly only_one_to_notice: readonly string[];
  }[];
  readonly problem: string | null;
}

/** What the server refused, in its own words. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

async function send<T>(path: string, options: RequestInit = {}): Promise<T> {
  const answer = await fetch(path, { credentials: 'same-origin', cache: 'no-store', ...options });
  if (!answer.ok) {
    const told = (await answer.json().catch(() => ({}))) as { error?: string };
    throw new Refusal(answer.status, told.error ?? `The studio's server answered ${answer.status}.`);
  }
  return (await answer.json()) as T;
}

function get<T>(path: string, query: Record<string, string> = {}, signal?: AbortSignal): Promise<T> {
  const words = new URLSearchParams(query).toString();
  return send<T>(words === '' ? path : `${path}?${words}`, signal === undefined ? {} : { signal });
}

function give<T>(method: 'POST' | 'PUT', path: string, body: unknown, keepalive = false): Promise<T> {
  return send<T>(path, { method, keepalive, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

export const readSession = (): Promise<Session> => get('/api/session');
export const trustFolder = (): Promise<unknown> => give('POST', '/api/trust', {});
export const readTree = (): Promise<{ entries: Entry[]; truncated?: boolean }> => get('/api/tree');
export const readFile = (path: string): Promise<FileText> => get('/api/file', { path });
export const writeFile = (path: string, text: string, version: string): Promise<{ version: string }> =>
  give('PUT', '/api/file', { path, text, version });
/**
 * The same by a page that is being left: the request outlives it. Browsers refuse more than 64 kB then.
 * The file may also have the text `underWay`, whose write the page has not heard of yet.
 */
export const writeLast = (path: string, text: string, version: string, underWay?: string): Promise<{ version: string }> =>
  give('PUT', '/api/file', { path, text, version, under_way: underWay }, true);
export const readRuns = (path?: string): Promise<{ runs: Run[] }> => get('/api/runs', path === undefined ? {} : { path });
export const readHistory = (path: string): Promise<History> => get('/api/history', { path });
export const readTrace = (run: string): Promise<Index> => get('/api/trace', { run });
export const readTrial = (run: string, n: number): Promise<Trial> => get('/api/trace/trial', { run, n: String(n) });
export const readRecording = (run: string, n: number): Promise<unknown> => get('/api/trace/recording', { run, n: String(n) });
export const readComparison = (a: string, b: string): Promise<Comparison> => get('/api/compare', { a, b });
export const readAudit = (path: string, signal?: AbortSignal): Promise<Audit> => get('/api/audit', { path }, signal);
