/** How a finding of the server is shown. Pure. */

import type { Diagnostic } from 'vscode-languageserver-types';

export type Severity = 'error' | 'warning' | 'info' | 'hint';

export function severityOf(finding: Diagnostic): Severity {
  return (['error', 'error', 'warning', 'info', 'hint'] as const)[finding.severity ?? 1] ?? 'error';
}

export function codeOf(finding: Diagnostic): string {
  return String(finding.code ?? '');
}

/** Whether a finding is a check that failed in a run or in live grading: it is also at the end of its line. */
export function isFailedCheck(code: string): boolean {
  return code === 'failed-check';
}

/** Whether a finding is a problem. A grader that passes is not a problem, and has an inlay hint. */
export function isProblem(code: string): boolean {
  return code !== 'live-verdict';
}

const LONGEST = 100;

/** The first line of a message, short enough for the end of a line. */
export function inlineText(message: string): string {
  const first = message.split('\n', 1)[0] ?? '';
  return first.length > LONGEST ? `${first.slice(0, LONGEST - 1)}…` : first;
}
