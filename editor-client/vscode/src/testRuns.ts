/**
 * Runs in the Testing view, from the events of the server. They can start in the view, from a lens
 * or from a command.
 */

import { randomUUID } from 'node:crypto';
import { Disposable, TestRunRequest, type TestController, type TestItem, type TestRun } from 'vscode';

import { batched } from './batched';
import type { RunEvent, Told } from './protocol';
import type { Server } from './server';
import { decisionLine, trialLines } from './testMessages';
import type { TestTree } from './testTree';
import { abandoned, judge, judgeGrader, judgeTask, skipAll } from './testVerdicts';

export interface TestRuns extends Disposable {
  /** Prepares a run for a request. Dispose of it when its command is done. */
  expect(request: TestRunRequest): Expected;
}

export interface Expected extends Disposable {
  /** The token of the command, which identifies the events of the run. */
  token: string;
}

interface ShownRun {
  shown: TestRun;
  /** The keys of the tasks that have no verdict yet. */
  open: Set<string>;
  /** The tasks to show as waiting once the first one has started. A run that cannot start changes no verdict. */
  waiting: TestItem[];
  /** Whether all tasks of the eval are run: only then the eval's own graders have passed. */
  isWhole: boolean;
}

/** `note` is called with the id of each run that is shown. */
export function followRuns(
  controller: TestController,
  tree: TestTree,
  server: Server,
  note: (runId: string) => void,
): TestRuns {
  /** By the token of the command, or by the run's id if the command came from elsewhere. */
  const runs = new Map<string, ShownRun>();

  function add(name: string, request: TestRunRequest, cancel: object): ShownRun {
    const run = { shown: controller.createTestRun(request), open: new Set<string>(), waiting: [], isWhole: false };
    runs.set(name, run);
    run.shown.token.onCancellationRequested(() => void server.execute('waza.cancelRun', cancel));
    return run;
  }

  function end(name: string): void {
    runs.get(name)?.shown.end();
    runs.delete(name);
  }

  function started({ run_id: runId, token, key, keys }: Told<'run_started'>): void {
    note(runId);
    const listed = keys.map((it) => tree.find(it)).filter((it) => it !== undefined);
    // The arms of a matrix are not in the tree.
    const whole = tree.find(key);
    const items = listed.length > 0 || !whole ? listed : [whole];
    const run = runs.get(token) ?? add(runId, new TestRunRequest(items), { runId });
    const graders = [...(whole?.children ?? [])].filter(([, it]) => tree.about(it)?.kind === 'grader');
    run.isWhole = whole !== undefined && listed.length === whole.children.size - graders.length;
    items.forEach((it) => run.open.add(it.id));
    run.waiting = items;
  }

  function take(event: RunEvent): void {
    if (event.event === 'run_started') {
      started(event);
      return;
    }
    const name = runs.has(event.token) ? event.token : event.run_id;
    const run = runs.get(name);
    if (run) {
      follow(run, event, tree);
      if (event.event === 'run_finished') {
        end(name);
      }
    }
  }

  /** The server is gone and will not report the end of runs. */
  function abandonAll(): void {
    for (const [name, { shown, open }] of [...runs]) {
      const items = [...open].map((key) => tree.find(key)).filter((it) => it !== undefined);
      items.forEach((it) => abandoned(shown, it));
      end(name);
    }
  }

  const queue = batched<RunEvent>((events) => merged(events).forEach(take));
  const subscriptions = Disposable.from(
    queue,
    server.onRunEvent(queue.add),
    server.onGone(() => {
      queue.flush();
      abandonAll();
    }),
  );
  return {
    expect(request) {
      const token = randomUUID();
      add(token, request, { token });
      const dispose = (): void => {
        queue.flush();
        end(token);
      };
      return { token, dispose };
    },
    dispose: () => subscriptions.dispose(),
  };
}

/** Events without the starts of tasks that have ended, too: VS Code draws after each change of a state. */
function merged(events: RunEvent[]): RunEvent[] {
  const ended = new Set(events.filter((it) => it.event === 'task_finished').map((it) => it.key));
  return events.filter((it) => it.event !== 'task_started' || !ended.has(it.key));
}

function follow(run: ShownRun, event: RunEvent, tree: TestTree): void {
  const { shown, open, isWhole } = run;
  const item = tree.find(event.key);
  const say = (lines: string): void => {
    shown.appendOutput(`${lines}\n`.replaceAll(/\r?\n/g, '\r\n'), undefined, item);
  };
  if (/^(task|trial)_/.test(event.event)) {
    run.waiting.splice(0).forEach((it) => shown.enqueued(it));
  }
  switch (event.event) {
    case 'task_started':
      open.add(event.key);
      if (item) {
        shown.started(item);
      }
      break;
    case 'trial_progress':
      say(`${event.task}: ${event.text}`);
      break;
    case 'trial_finished':
      say(trialLines(event));
      break;
    case 'task_finished':
      open.delete(event.key);
      if (item) {
        judgeTask(shown, item, event);
      }
      break;
    case 'decided':
      say(decisionLine(event));
      break;
    case 'note':
      say(event.message);
      break;
    case 'run_finished':
      say(event.error ? `Run ${event.status}: ${event.error}` : `Run ${event.status}`);
      finish(shown, event, item, isWhole);
      if (event.status === 'cancelled') {
        const left = [...open].map((key) => tree.find(key)).filter((it) => it !== undefined);
        left.forEach((it) => skipAll(shown, it));
      }
      break;
  }
}

/** Shows the verdicts of an eval's own graders, and that of a run whose tasks are not in the tree. */
function finish(
  shown: TestRun,
  event: Told<'run_finished'>,
  root: TestItem | undefined,
  isWhole: boolean,
): void {
  for (const totals of event.graders ?? []) {
    const grader = root?.children.get(totals.key);
    if (grader && (isWhole || totals.status !== 'passed')) {
      judgeGrader(shown, grader, totals, []);
    }
  }
  if (root?.children.size === 0) {
    const reasons = event.error ? [{ message: event.error, uri: '', range: null, key: event.key }] : [];
    judge(shown, root, { status: event.status, reasons, instead: `Score ${event.score.toFixed(2)}.` });
  }
}
