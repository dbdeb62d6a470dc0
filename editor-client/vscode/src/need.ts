/**
 * Decides when the server is needed.
 *
 * Every YAML file activates the extension, but most are not evals. A Python process, or an
 * error that none was found, waits until there is an eval file.
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
