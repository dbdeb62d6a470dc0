/** Traces for the tests. */

import type { Grader, Step, Trial, TrialHead } from '../src/trace.ts';

export function call(n: number, name: string, values: unknown, result: unknown = 'ok', success: boolean | null = true): Step {
  return { n, kind: 'tool', turn: n, at_ms: n * 100, duration_ms: 50, text: '', call: { id: `c${n}`, name, arguments: values, result, success } };
}

export function said(n: number, text: string, kind: Step['kind'] = 'agent'): Step {
  return { n, kind, turn: n, at_ms: n * 100, duration_ms: null, text };
}

export function trialOf(steps: readonly Step[], more: Partial<Trial> = {}): Trial {
  return {
    prompt: '',
    output: '',
    error: '',
    model: 'm',
    duration_ms: 1000,
    steps,
    workspace: { is_exact: true, initial: {}, changes: [], uncaptured: [] },
    graders: [],
    ...more,
  };
}

export function headOf(task: string, trial: number, status: TrialHead['status'] = 'passed'): TrialHead {
  return { task, name: task, trial, status, score: 1, duration_ms: 1, turns: 1, tool_calls: 1, tokens_in: 0, tokens_out: 0 };
}

export function graderOf(name: string, status: Grader['status'], checks: Grader['checks'] = []): Grader {
  return { name, type: 'text', status, score: 0, weight: 1, feedback: 'bad', checks };
}
