/** How a finding of the server is shown. Pure. */

import type { Diagnostic } from 'vscode-languageserver-types';

export type Severity = 'error' | 'warning' | 'info' | 'hint';

export function severityOf(finding: Diagnostic): Severity {
  return (['error', 'error', 'warning', 'info', 'hint'] as const)[finding.severity ?? 1] ?? 'error';
}

export function codeOf(finding: Diagnostic): string {
  return String(finding.code ?? '');
}

/** The codes of what runs and live grading say about a line: it also stands at the line's end. */
const VERDICTS = new Set(['failed-check', 'live-verdict']);

export function isVerdict(code: string): boolean {
  return VERDICTS.has(code);
}

const LONGEST = 100;

/** The first line of a message, short enough for the end of a line. */
export function inlineText(message: string): string {
  const first = message.split('\n', 1)[0] ?? '';
  return first.length > LONGEST ? `${first.slice(0, LONGEST - 1)}…` : first;
}
