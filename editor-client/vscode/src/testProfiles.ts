/** The ways to run tests: as the eval says, with recordings, with the mock, with a chosen model, several times, until decided, or to grade again. */

import {
  Disposable,
  TestRunProfileKind,
  window,
  workspace,
  type CancellationToken,
  type TestController,
  type TestItem,
  type TestRunRequest,
} from 'vscode';

import { batched } from './batched';
import type { Server } from './server';
import type { TestRuns } from './testRuns';
import { selection, type Selection } from './testSelection';
import type { TestTree } from './testTree';

/** What a profile adds to the arguments of a command; undefined if the user chose nothing. */
type Options = () => Promise<object | undefined>;

const largestTrials = 1000;

/** Creates the profiles. Only a trusted workspace has any. */
export function offerProfiles(controller: TestController, tree: TestTree, runs: TestRuns, server: Server): Disposable {
  const isGrader = (it: TestItem): boolean => tree.about(it)?.kind === 'grader';
  const ids = (items: TestItem[]): string[] => items.map((it) => tree.about(it)?.id ?? '');

  /** One run per eval. A grader on its own is graded again, which costs nothing. */
  async function perform(request: TestRunRequest, options: Options | undefined): Promise<void> {
    const more = options ? await options() : {};
    if (more) {
      const chosen = selection(request, controller.items, isGrader);
      await Promise.all(chosen.flatMap((it) => commandsOf(it, more, request)));
    }
  }

  function commandsOf({ root, tasks, graders }: Selection, more: object, request: TestRunRequest): Promise<void>[] {
    const uri = root.uri?.toString();
    const ofGraders = graders.map((it) => {
      const { pointer, id } = tree.about(it) ?? {};
      const task = it.parent && it.parent !== root ? ids([it.parent]) : [];
      return execute('waza.grade', { uri: it.uri?.toString(), pointer, grader: id, tasks: task }, request);
    });
    if (graders.length > 0 && tasks.length === 0) {
      return ofGraders;
    }
    const all = 'free' in more || 'grade' in more ? 'waza.grade' : 'waza.runEval';
    const some = all === 'waza.grade' ? all : 'waza.runTask';
    const ofTasks =
      tasks.length > 0
        ? execute(some, { uri, tasks: ids(tasks), ...more }, request)
        : execute(all, { uri, ...more }, request);
    return [...ofGraders, ofTasks];
  }

  async function execute(command: string, argument: object, request: TestRunRequest): Promise<void> {
    const expected = runs.expect(request);
    try {
      await server.execute(command, { ...argument, token: expected.token, progress: false });
    } finally {
      expected.dispose();
    }
  }

  /** Grades at each save what has a recording, without programs and models, until the user stops it. */
  function gradeOnSave(request: TestRunRequest, token: CancellationToken): void {
    const saves = batched<void>(() => {
      void perform(request, async () => ({ free: true }));
    });
    const saved = workspace.onDidSaveTextDocument((document) => {
      if (tree.covers(document.uri)) {
        saves.add();
      }
    });
    token.onCancellationRequested(() => Disposable.from(saves, saved).dispose());
  }

  function grade(request: TestRunRequest, token: CancellationToken): Promise<void> | undefined {
    if (request.continuous) {
      gradeOnSave(request, token);
      return undefined;
    }
    return perform(request, async () => ({ grade: true }));
  }

  function offer(label: string, options?: Options, isDefault = false): Disposable {
    return controller.createRunProfile(
      label,
      TestRunProfileKind.Run,
      (request) => perform(request, options),
      isDefault,
    );
  }

  return Disposable.from(
    offer('Run', undefined, true),
    offer('Run with Recordings', async () => ({ executor: 'replay' })),
    offer('Run with Mock', async () => ({ executor: 'mock' })),
    offer('Run with Model...', askModel),
    offer('Run Several Trials...', askTrials),
    offer('Run until Decided...', askThreshold),
    controller.createRunProfile('Grade Again', TestRunProfileKind.Run, grade, false, undefined, true),
  );
}

async function askModel(): Promise<object | undefined> {
  const model = await window.showInputBox({ title: 'Run with which model?', placeHolder: 'As the eval would name it' });
  return model?.trim() ? { model: model.trim() } : undefined;
}

async function askTrials(): Promise<object | undefined> {
  const answer = await window.showInputBox({
    title: 'How many trials of each task?',
    value: '3',
    validateInput: (text) => (countIn(text) ? undefined : `A whole number from 1 to ${largestTrials}`),
  });
  const trials = countIn(answer ?? '');
  return trials ? { trials } : undefined;
}

async function askThreshold(): Promise<object | undefined> {
  const answer = await window.showInputBox({
    title: 'Which pass rate must each task reach? It gets trials until that is decided, at most 50.',
    value: '80 %',
    validateInput: (text) => (rateIn(text) === undefined ? 'A percentage from 0 to 100' : undefined),
  });
  const threshold = rateIn(answer ?? '');
  return threshold === undefined ? undefined : { threshold };
}

function rateIn(text: string): number | undefined {
  const percentage = /^\s*(\d+(?:\.\d+)?)\s*%?\s*$/.exec(text)?.[1];
  return percentage === undefined || Number(percentage) > 100 ? undefined : Number(percentage) / 100;
}

function countIn(text: string): number | undefined {
  const count = Number(text);
  return Number.isInteger(count) && count >= 1 && count <= largestTrials ? count : undefined;
}
