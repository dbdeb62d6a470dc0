/** Saves edited files before a run from a lens or a command, as VS Code does before a run from the Testing view. */

import { workspace } from 'vscode';

const runs = new Set(['waza.runTask', 'waza.runEval', 'waza.runFailed', 'waza.runSkill', 'waza.rerun']);

export async function saveBeforeRun(command: string): Promise<void> {
  if (runs.has(command) && workspace.getConfiguration('testing').get('saveBeforeTest', true)) {
    await workspace.saveAll(false);
  }
}
