/** Files of the workspace. */

import { workspace, type Uri } from 'vscode';

export async function exists(file: Uri): Promise<boolean> {
  return workspace.fs.stat(file).then(
    () => true,
    () => false,
  );
}
