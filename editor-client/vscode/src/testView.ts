/**
 * The Testing view. The tree comes from the server (`waza/tests`). A run is a server command, as for
 * lenses, and `testRuns.ts` shows its events (`waza/runEvent`).
 */

import { Disposable, tests, TestRunProfileKind, workspace, type TestRunRequest } from 'vscode';

import type { Server } from './server';
import { followRuns } from './testRuns';
import { selection } from './testSelection';
import { testTree } from './testTree';

export function createTestView(server: Server): Disposable {
  const controller = tests.createTestController('waza', 'Evals');
  const tree = testTree(controller, server);
  const runs = followRuns(controller, tree, server);
  controller.refreshHandler = () => tree.load();

  /** One run per eval; `all` and `some` are the commands for all of its tasks and for some. */
  async function run(request: TestRunRequest, all: string, some: string): Promise<void> {
    const asked = selection(request, controller.items);
    await Promise.all(
      asked.map(async ({ root, tasks }) => {
        const expected = runs.expect(request);
        const about = { uri: root.uri?.toString(), token: expected.token };
        try {
          await (tasks.length > 0
            ? server.execute(some, { ...about, tasks: tasks.map(tree.taskId) })
            : server.execute(all, about));
        } finally {
          expected.dispose();
        }
      }),
    );
  }

  function offerRuns(): void {
    const { Run } = TestRunProfileKind;
    controller.createRunProfile('Run', Run, (it) => run(it, 'waza.runEval', 'waza.runTask'), true);
    controller.createRunProfile('Grade Again', Run, (it) => run(it, 'waza.grade', 'waza.grade'));
  }

  if (workspace.isTrusted) {
    offerRuns();
  }
  return Disposable.from(
    controller,
    runs,
    workspace.onDidGrantWorkspaceTrust(offerRuns),
    server.onReady(() => void tree.load()),
    server.onTestsChanged((uri) => void tree.load(uri)),
  );
}
