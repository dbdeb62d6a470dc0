/** The selection of a Testing view request per eval: all of its tasks, or some. */

import type { TestItem, TestItemCollection, TestRunRequest } from 'vscode';

export interface Selection {
  root: TestItem;
  /** Empty for all tasks. */
  tasks: TestItem[];
}

export function selection({ include, exclude }: TestRunRequest, roots: TestItemCollection): Selection[] {
  const excluded = new Set(exclude);
  const chosen = new Map<TestItem, Set<TestItem>>();
  for (const it of include ?? values(roots)) {
    const root = it.parent ?? it;
    const known = chosen.get(root) ?? new Set();
    chosen.set(root, known);
    const tasks = it === root ? values(root.children) : [it];
    tasks.filter((task) => !excluded.has(task)).forEach((task) => known.add(task));
  }
  return [...chosen]
    .filter(([root, tasks]) => !excluded.has(root) && (tasks.size > 0 || root.children.size === 0))
    .map(([root, tasks]) => ({ root, tasks: tasks.size === root.children.size ? [] : [...tasks] }));
}

function values(items: TestItemCollection): TestItem[] {
  return [...items].map(([, item]) => item);
}
