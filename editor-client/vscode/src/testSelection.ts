/** The selection of a Testing view request per eval: all of its tasks, some, or single graders. */

import type { TestItem, TestItemCollection, TestRunRequest } from 'vscode';

export interface Selection {
  root: TestItem;
  /** Empty for all tasks, unless there are graders. */
  tasks: TestItem[];
  /** The selected graders whose task is not selected. */
  graders: TestItem[];
}

interface Chosen {
  tasks: Set<TestItem>;
  graders: Set<TestItem>;
}

/** `isGrader` tells graders from tasks. */
export function selection(
  { include, exclude }: TestRunRequest,
  roots: TestItemCollection,
  isGrader: (item: TestItem) => boolean,
): Selection[] {
  const excluded = new Set(exclude);
  const chosen = new Map<TestItem, Chosen>();
  for (const it of include ?? values(roots)) {
    const root = rootOf(it);
    const known = chosen.get(root) ?? { tasks: new Set(), graders: new Set() };
    chosen.set(root, known);
    if (isGrader(it)) {
      known.graders.add(it);
    } else {
      const tasks = it === root ? tasksOf(root, isGrader) : [it];
      tasks.filter((task) => !excluded.has(task)).forEach((task) => known.tasks.add(task));
    }
  }
  return [...chosen].flatMap(([root, { tasks, graders }]) => {
    const all = tasksOf(root, isGrader);
    // A task is graded with all its graders, and the eval's own graders grade each task.
    const single = [...graders].filter(({ parent }) => !(parent && (tasks.has(parent) || (parent === root && tasks.size))));
    if (excluded.has(root) || (tasks.size === 0 && single.length === 0 && all.length > 0)) {
      return [];
    }
    return [{ root, tasks: tasks.size === all.length ? [] : [...tasks], graders: single }];
  });
}

function rootOf(item: TestItem): TestItem {
  return item.parent ? rootOf(item.parent) : item;
}

function tasksOf(root: TestItem, isGrader: (item: TestItem) => boolean): TestItem[] {
  return values(root.children).filter((it) => !isGrader(it));
}

function values(items: TestItemCollection): TestItem[] {
  return [...items].map(([, item]) => item);
}
