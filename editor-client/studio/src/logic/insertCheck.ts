/** Where a new check goes: behind the last grader of its task, or as the task's first. Pure. */

import type { Position, Range } from 'vscode-languageserver-types';

/** An item of `waza/tests`. */
export interface Item {
  readonly id: string;
  readonly kind: string;
  readonly uri: string;
  readonly range: Range;
  readonly children: readonly Item[];
}

export function findTask(items: readonly Item[], task: string): Item | null {
  for (const item of items) {
    if (item.kind === 'task' && item.id === task) {
      return item;
    }
    const found = findTask(item.children, task);
    if (found !== null) {
      return found;
    }
  }
  return null;
}

/** The text to insert and where, for a task whose file has these lines. `yaml` is one list item. */
export function insertion(lines: readonly string[], task: Item, yaml: string): { at: Position; text: string } {
  const graders = task.children.filter((it) => it.kind === 'grader' && it.uri === task.uri);
  const last = graders.reduce<Item | null>((found, it) => (found === null || it.range.end.line > found.range.end.line ? it : found), null);
  const own = yaml.replace(/\s+$/, '').split('\n');
  if (last !== null) {
    const { indent } = dashOf(lines[last.range.start.line] ?? '');
    return below(lines, last.range.end, own.map((it) => indent + it));
  }
  const { indent, isItem } = dashOf(lines[task.range.start.line] ?? '');
  const keys = isItem ? `${indent}  ` : indent;
  return below(lines, task.range.end, [`${keys}graders:`, ...own.map((it) => `${keys}  ${it}`)]);
}

function dashOf(line: string): { indent: string; isItem: boolean } {
  return { indent: /^\s*/.exec(line)?.[0] ?? '', isItem: /^\s*- /.test(line) };
}

function below(lines: readonly string[], end: Position, text: readonly string[]): { at: Position; text: string } {
  // A range that ends at the beginning of a line does not hold that line.
  const line = end.character === 0 && end.line > 0 ? end.line - 1 : end.line;
  return { at: { line, character: (lines[line] ?? '').length }, text: text.map((it) => `\n${it}`).join('') };
}
