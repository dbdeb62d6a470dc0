/**
 * Live verdicts in the Testing view: after an edit, the icons show what the recordings of the last
 * run say about the text in the editor, as lenses and failed checks do.
 */

import { TestRunRequest, type Disposable, type TestController } from 'vscode';

import type { LiveVerdicts } from './protocol';
import type { Server } from './server';
import type { TestTree } from './testTree';
import { judge } from './testVerdicts';

export function showLiveVerdicts(controller: TestController, tree: TestTree, server: Server): Disposable {
  return server.onLiveVerdicts(({ verdicts }: LiveVerdicts) => {
    const known = verdicts.flatMap((it) => {
      const item = tree.find(it.key);
      return item ? [{ item, verdict: it }] : [];
    });
    if (known.length === 0) {
      return;
    }
    const request = new TestRunRequest(known.map(({ item }) => item));
    // Not persisted: the verdicts are about a text that is still being written.
    const run = controller.createTestRun(request, 'Live', false);
    for (const { item, verdict } of known) {
      tree.noteLive(item);
      const judged = verdict.graders.flatMap(({ key, status }) => {
        const grader = item.children.get(key) ?? tree.find(key);
        return grader ? [{ item: grader, status }] : [];
      });
      for (const it of [{ item, status: verdict.status }, ...judged]) {
        const reasons = verdict.messages.filter(({ key }) => key === it.item.id);
        judge(run, it.item, { status: it.status, reasons, instead: '', isExplained: true });
      }
    }
    run.end();
  });
}
