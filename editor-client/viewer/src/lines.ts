/** Texts as lines, and their differences. Pure. */

import { diffArrays } from 'diff';

export type LineMark = 'same' | 'added' | 'deleted';

export interface Line {
  readonly mark: LineMark;
  /** Line numbers from 1, before and after. A line that one side lacks has 0 there. */
  readonly before: number;
  readonly after: number;
  readonly text: string;
}

/** A stretch of unchanged lines that is folded. */
export interface Fold {
  readonly mark: 'fold';
  readonly lines: readonly Line[];
}

/** Lines end at a line feed only, as those that checks point to. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') {
    lines.pop();
  }
  return lines;
}

export function plainLines(text: string): Line[] {
  return linesOf(text).map((it, index) => ({ mark: 'same', before: 0, after: index + 1, text: it }));
}

/** Texts that differ more than this are shown as deleted and added as a whole. */
const MOST_EDITS = 2000;

/** Return the lines of both texts, in the order of a unified diff. */
export function diffLines(before: string, after: string): Line[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const parts = diffArrays(old, now, { maxEditLength: MOST_EDITS, timeout: 300 }) ?? [
    { added: false, removed: true, value: old },
    { added: true, removed: false, value: now },
  ];
  const found: Line[] = [];
  let [a, b] = [0, 0];
  for (const part of parts) {
    for (const text of part.value) {
      if (part.added) {
        found.push({ mark: 'added', before: 0, after: ++b, text });
      } else if (part.removed) {
        found.push({ mark: 'deleted', before: ++a, after: 0, text });
      } else {
        found.push({ mark: 'same', before: ++a, after: ++b, text });
      }
    }
  }
  return found;
}

/** Fold what is unchanged, but for some lines around each change. Lines with these numbers (after) stay. */
export function folded(lines: readonly Line[], context = 3, shown: readonly number[] = []): (Line | Fold)[] {
  const near = new Array<boolean>(lines.length).fill(false);
  lines.forEach((line, index) => {
    if (line.mark !== 'same' || shown.includes(line.after)) {
      near.fill(true, Math.max(0, index - context), index + context + 1);
    }
  });
  const found: (Line | Fold)[] = [];
  for (let index = 0; index < lines.length; ) {
    let end = index;
    while (end < lines.length && !near[end]) {
      end++;
    }
    if (end - index > 1) {
      found.push({ mark: 'fold', lines: lines.slice(index, end) });
      index = end;
    } else {
      const line = lines[index++];
      if (line !== undefined) {
        found.push(line);
      }
    }
  }
  return found;
}

export function countChanges(lines: readonly Line[]): { added: number; deleted: number } {
  const count = (mark: LineMark) => lines.reduce((sum, it) => sum + Number(it.mark === mark), 0);
  return { added: count('added'), deleted: count('deleted') };
}
