/** The trace document, as `engine/waza_engine/reports/trace/` writes it. Members that are not named here are ignored. */

export interface Index {
  readonly version: 1;
  readonly title: string;
  readonly run?: Run;
  readonly trials: readonly TrialHead[];
  readonly check_templates?: readonly CheckTemplate[];
}

export interface Run {
  readonly id?: string;
  readonly suite?: string;
  readonly eval_path?: string;
  readonly executor?: string;
  readonly model?: string;
  readonly started_at?: number;
  readonly status?: string;
}

export type Status = 'passed' | 'failed' | 'error' | 'skipped';

export interface TrialHead {
  readonly task: string;
  readonly name: string;
  readonly trial: number;
  readonly status: Status;
  readonly score: number | null;
  readonly duration_ms: number | null;
  readonly turns: number;
  readonly tool_calls: number;
  readonly tokens_in: number;
  readonly tokens_out: number;
  /** What the judges cost, in the unit of their endpoint. */
  readonly cost?: number;
  /** Premium requests of the agent's Copilot account. */
  readonly premium_requests?: number;
  readonly error?: string;
  readonly origin?: string;
}

export interface CheckTemplate {
  readonly kind: 'output' | 'tool' | 'file' | 'line';
  readonly about: string;
  readonly yaml: string;
}

export interface Trial {
  readonly prompt: string;
  readonly output: string;
  readonly error: string;
  readonly model: string;
  readonly duration_ms: number | null;
  readonly usage?: Usage | null;
  readonly steps: readonly Step[];
  readonly workspace: Workspace;
  readonly graders: readonly Grader[];
}

export interface Usage {
  readonly turns?: number;
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_read_tokens?: number;
  readonly cache_write_tokens?: number;
}

export type Kind = 'user' | 'agent' | 'reasoning' | 'tool' | 'skill' | 'error' | 'system' | 'other';

export interface Step {
  readonly n: number;
  readonly kind: Kind;
  readonly turn: number;
  readonly at_ms: number | null;
  readonly duration_ms: number | null;
  readonly tokens_in?: number | null;
  readonly tokens_out?: number | null;
  readonly text: string;
  readonly call?: Call | null;
}

export interface Call {
  readonly id?: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly result: unknown;
  readonly success: boolean | null;
  readonly error?: string | null;
}

export interface Workspace {
  readonly is_exact: boolean;
  readonly initial: Readonly<Record<string, string>>;
  readonly changes: readonly Change[];
  readonly uncaptured: readonly string[];
}

export interface Change {
  readonly step: number;
  readonly path: string;
  readonly text: string | null;
  readonly how: 'told' | 'found';
  /** Only this part of the file changes, from `before` to `text`. The rest may be unknown. */
  readonly is_part?: boolean;
  readonly before?: string;
}

export interface Grader {
  readonly name: string;
  readonly type: string;
  readonly status: 'passed' | 'failed' | 'error';
  readonly score: number | null;
  readonly weight: number | null;
  readonly feedback: string;
  readonly after_turn?: number | null;
  readonly source?: Place | null;
  readonly entry?: string | null;
  readonly checks: readonly Check[];
}

export interface Place {
  readonly file: string;
  readonly line: number;
}

export interface Check {
  readonly message: string;
  readonly wanted?: unknown;
  readonly found?: unknown;
  readonly actual?: unknown;
  readonly excerpt?: string | null;
  readonly pointer?: readonly (string | number)[];
  readonly source?: Place | null;
  readonly target?: Target | null;
}

export type Target =
  | { readonly kind: 'step'; readonly step: number }
  | { readonly kind: 'output'; readonly line: number }
  | { readonly kind: 'file'; readonly path: string; readonly line: number };

/** Where the page gets its data: from its own blocks, or from the program that embeds it. */
export interface Source {
  readonly index: Index;
  trial(place: number): Promise<Trial>;
  /** The trial as a recording; nothing if it is too large for the page. */
  recording?(place: number): Promise<unknown>;
}

/** What the embedding program can do for the viewer. */
export interface Host {
  openSource?(path: string, line: number): void;
  makeCheck?(draft: Draft): void;
  /** The fragment that says which step is shown first: `#task=ID&trial=1&step=N`. */
  fragment?(): string;
  /** Is told the fragment of each step that is shown. */
  onFragment?(fragment: string): void;
  /** Calls back with fragments that were followed. Returns how to stop that. */
  listen?(follow: (fragment: string) => void): () => void;
  /** The address of the page, without a fragment. */
  address?(): string;
  /** Where the keys are heard; otherwise only inside the viewer. */
  keysFrom?(): Document;
}

export interface Draft {
  readonly kind: CheckTemplate['kind'];
  readonly task: string;
  readonly about: string;
  readonly yaml: string;
}
