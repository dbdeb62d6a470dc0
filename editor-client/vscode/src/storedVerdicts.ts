/** Last verdicts from the run store: those of earlier windows, and of runs that began elsewhere. */

import { TestRunRequest, type TestController, type TestItem, type TestRun } from 'vscode';

import type { Reason, Runnable } from './protocol';
import type { TestTree } from './testTree';
import { judge } from './testVerdicts';

export interface StoredVerdicts {
  /** Shows the verdicts that this window has not shown. */
  show(found: Runnable[], tree: TestTree): void;
  /** Notes a run whose events this window shows. */
  noteRun(runId: string): void;
}

export function storedVerdicts(controller: TestController): StoredVerdicts {
  const shownRuns = new Set<string>();
  /** The run of the verdict that each item shows, by its key. */
  const shownVerdicts = new Map<string, string>();

  function isNew({ key, verdict }: Runnable): boolean {
    if (!verdict || shownVerdicts.get(key) === verdict.runId) {
      return false;
    }
    shownVerdicts.set(key, verdict.runId);
    return !shownRuns.has(verdict.runId);
  }

  return {
    noteRun: (runId) => void shownRuns.add(runId),
    show(found, tree) {
      const tasks = found.filter(isNew);
      if (tasks.length === 0) {
        return;
      }
      const items = tasks.map(({ key }) => tree.find(key)).filter((it) => it !== undefined);
      const request = new TestRunRequest(items, undefined, undefined, false, true);
      const run = controller.createTestRun(request, 'Last results', false);
      for (const task of tasks) {
        const item = tree.find(task.key);
        if (item) {
          showTask(run, task, item);
        }
      }
      run.end();
    },
  };
}

function showTask(run: TestRun, task: Runnable, item: TestItem): void {
  const messages = task.verdict?.messages ?? [];
  showOne(run, task, item, messages);
  for (const it of task.children) {
    const grader = item.children.get(it.key);
    if (grader) {
      showOne(run, it, grader, messages);
    }
  }
}

function showOne(run: TestRun, { key, verdict }: Runnable, item: TestItem, messages: Reason[]): void {
  if (verdict) {
    const reasons = messages.filter((it) => it.key === key);
    const instead = `Not passed: score ${verdict.score.toFixed(2)}.`;
    judge(run, item, { status: verdict.status, reasons, instead, isExplained: item.children.size > 0 });
  }
}
