/** Which steps the conversation shows. Pure. */

import { asText, resultText } from './format.ts';
import { isError, titleOf, type Row } from './steps.ts';

export interface Filter {
  readonly text: string;
  /** Names of tools; empty shows all steps. */
  readonly tools: readonly string[];
  readonly onlyTools: boolean;
  readonly onlyErrors: boolean;
}

export const NO_FILTER: Filter = { text: '', tools: [], onlyTools: false, onlyErrors: false };

export function isFiltering(filter: Filter): boolean {
  return filter.text.trim() !== '' || filter.tools.length > 0 || filter.onlyTools || filter.onlyErrors;
}

/** Errors are failed steps, and those that a failed check points to. */
export function filtered(rows: readonly Row[], filter: Filter, marked: ReadonlySet<number> = new Set()): Row[] {
  const words = filter.text.trim();
  // A pattern needs no copy of large texts in lower case.
  const pattern = new RegExp(words.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'i');
  return rows.filter((row) => {
    const { call } = row.step;
    if (filter.onlyTools && !call) {
      return false;
    }
    if (filter.tools.length > 0 && !(call && filter.tools.includes(call.name))) {
      return false;
    }
    if (filter.onlyErrors && !isError(row.step) && !marked.has(row.n)) {
      return false;
    }
    return words === '' || contains(row, pattern);
  });
}

function contains(row: Row, pattern: RegExp): boolean {
  const { call, text } = row.step;
  const texts = call ? [call.name, asText(call.arguments), resultText(call.result), call.error ?? ''] : [titleOf(row), text];
  return texts.some((it) => pattern.test(it));
}

/** Return the tools of a trial with their numbers of calls, the most used first. */
export function toolsOf(rows: readonly Row[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { step } of rows) {
    if (step.call) {
      counts.set(step.call.name, (counts.get(step.call.name) ?? 0) + 1);
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}
