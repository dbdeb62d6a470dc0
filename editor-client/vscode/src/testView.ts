/**
 * The Testing view. The tree comes from the server (`waza/tests`). A run is a server command, as for
 * lenses, and `testRuns.ts` shows its events (`waza/runEvent`).
 */

import { Disposable, tests, workspace } from 'vscode';

import { showLiveVerdicts } from './liveVerdicts';
import type { Server } from './server';
import { storedVerdicts } from './storedVerdicts';
import { offerProfiles } from './testProfiles';
import { followRuns } from './testRuns';
import { traceOfTest } from './testTrace';
import { testTree } from './testTree';

export function createTestView(server: Server): Disposable {
  const controller = tests.createTestController('waza', 'Evals');
  const stored = storedVerdicts(controller);
  const tree = testTree(controller, server, stored.show);
  const runs = followRuns(controller, tree, server, stored.noteRun);
  controller.refreshHandler = () => tree.load();
  const offer = (): Disposable => offerProfiles(controller, tree, runs, server);

  if (workspace.isTrusted) {
    offer();
  }
  return Disposable.from(
    controller,
    runs,
    traceOfTest(tree),
    showLiveVerdicts(controller, tree, server),
    workspace.onDidGrantWorkspaceTrust(offer),
    server.onGone(tree.reset),
    server.onReady(() => void tree.load()),
    server.onTestsChanged(() => void tree.load()),
  );
}
