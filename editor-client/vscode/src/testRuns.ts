/**
 * Runs in the Testing view, from the events of the server. They can start in the view, from a lens
 * or from a command.
 */

import { randomUUID } from 'node:crypto';
import { Disposable, TestRunRequest, type TestController, type TestItem, type TestRun } from 'vscode';

import { batched } from './batched';
import type { RunEvent, Told, Verdict } from './protocol';
import type { Server } from './server';
import { failedMessages, taskMessage, trialLines } from './testMessages';
import type { TestTree } from './testTree';

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
  durations: Map<string, number>;
  /** The keys of the tasks that have started and have no verdict yet. */
  open: Set<string>;
}

export function followRuns(controller: TestController, tree: TestTree, server: Server): TestRuns {
  /** By the token of the command, or by the run's id if the command came from elsewhere. */
  const runs = new Map<string, ShownRun>();

  function add(name: string, request: TestRunRequest, cancel: object): ShownRun {
    const shown = controller.createTestRun(request);
    const run = { shown, durations: new Map<string, number>(), open: new Set<string>() };
    runs.set(name, run);
    shown.token.onCancellationRequested(() => void server.execute('waza.cancelRun', cancel));
    return run;
  }

  function end(name: string): void {
    runs.get(name)?.shown.end();
    runs.delete(name);
  }

  function started({ run_id: runId, token, key, keys }: Told<'run_started'>): void {
    const listed = keys.map((key) => tree.find(key)).filter((it) => it !== undefined);
    // The arms of a matrix are not in the tree.
    const whole = tree.find(key);
    const items = listed.length > 0 || !whole ? listed : [whole];
    const run = runs.get(token) ?? add(runId, new TestRunRequest(items), { runId });
    items.forEach((it) => run.shown.enqueued(it));
  }

  function take(event: RunEvent): void {
    if (event.event === 'run_started') {
      started(event);
      return;
    }
    const name = runs.has(event.token) ? event.token : event.run_id;
    const run = runs.get(name);
    if (run) {
      follow(run, event, tree.find(event.key));
      if (event.event === 'run_finished') {
        end(name);
      }
    }
  }

  /** The server is gone and will not report the end of runs. */
  function abandonAll(): void {
    for (const [name, { shown, open }] of [...runs]) {
      for (const item of [...open].map((key) => tree.find(key)).filter((it) => it !== undefined)) {
        shown.errored(item, taskMessage('The server ended during this run.', item));
      }
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

function follow(run: ShownRun, event: RunEvent, item: TestItem | undefined): void {
  const { shown, durations, open } = run;
  const say = (lines: string): void => {
    shown.appendOutput(`${lines}\n`.replaceAll(/\r?\n/g, '\r\n'), undefined, item);
  };
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
      durations.set(event.key, (durations.get(event.key) ?? 0) + (event.duration_ms ?? 0));
      say(trialLines(event));
      break;
    case 'task_finished':
      open.delete(event.key);
      if (item) {
        judge(shown, event, item, durations.get(event.key));
      }
      break;
    case 'note':
      say(event.message);
      break;
    case 'run_finished':
      say(event.error ? `Run ${event.status}: ${event.error}` : `Run ${event.status}`);
      if (item?.children.size === 0) {
        judge(shown, asOne(event), item, undefined);
      }
      break;
  }
}

/** The verdict on a run whose tasks are not in the tree. */
function asOne({ status, score, error }: Told<'run_finished'>): Verdict {
  const messages = error ? [{ message: error, uri: '', range: null }] : [];
  return { status: status === 'cancelled' ? 'skipped' : status, score, messages };
}

function judge(
  shown: TestRun,
  event: Verdict,
  item: TestItem,
  duration: number | undefined,
): void {
  switch (event.status) {
    case 'passed':
      shown.passed(item, duration);
      break;
    case 'failed':
      shown.failed(item, failedMessages(event, item), duration);
      break;
    case 'skipped':
      shown.skipped(item);
      break;
    default:
      shown.errored(item, failedMessages(event, item), duration);
  }
}
