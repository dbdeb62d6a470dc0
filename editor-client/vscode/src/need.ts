/**
 * When the server is needed.
 *
 * The extension is activated by every YAML file, most of which are no evals. A Python process,
 * or a complaint that none can be found, waits until there is an eval file.
 */

import { Disposable, workspace, type TextDocument } from 'vscode';

import { looksLikeEval, tellingFiles } from './documents';

export function whenNeeded(start: () => void): Disposable {
  let needed = false;
  const once = (): void => {
    if (!needed) {
      needed = true;
      watched.dispose();
      start();
    }
  };
  const look = (document: TextDocument): void => {
    if (looksLikeEval(document)) {
      once();
    }
  };
  const watched = Disposable.from(
    workspace.onDidOpenTextDocument(look),
    workspace.onDidSaveTextDocument(look),
  );
  workspace.textDocuments.forEach(look);
  if (!needed) {
    void workspace.findFiles(tellingFiles, undefined, 1).then((found) => found.length > 0 && once());
  }
  return watched;
}
