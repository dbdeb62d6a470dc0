/**
 * When the server is needed.
 *
 * The extension is activated by every YAML file, most of which are no evals. A Python process,
 * or a complaint that none can be found, waits until there is an eval file.
 */

import { Disposable, workspace } from 'vscode';

import { evalFiles, isSelected } from './documents';

export function whenNeeded(start: () => void): Disposable {
  let needed = false;
  const once = (): void => {
    if (!needed) {
      needed = true;
      opened.dispose();
      start();
    }
  };
  const opened = workspace.onDidOpenTextDocument((document) => isSelected(document) && once());
  if (workspace.textDocuments.some(isSelected)) {
    once();
  } else {
    void workspace.findFiles(evalFiles, undefined, 1).then((found) => found.length > 0 && once());
  }
  return opened;
}
