/** Says where a command has written files, with a button that shows the folder. */

import { commands, window, workspace, type Uri } from 'vscode';

const openFolder = 'Open Folder';
const showLogs = 'Show Logs';

/** `logs` is the command that shows the logs, if they say more. */
export async function offerFolder(message: string, folder: Uri, logs?: string): Promise<void> {
  const answer = await window.showInformationMessage(
    `${message} Folder: ${workspace.asRelativePath(folder)}`,
    openFolder,
    ...(logs === undefined ? [] : [showLogs]),
  );
  if (answer === showLogs && logs !== undefined) {
    await commands.executeCommand(logs);
  }
  if (answer === openFolder) {
    const isInside = workspace.getWorkspaceFolder(folder) !== undefined;
    await commands.executeCommand(isInside ? 'revealInExplorer' : 'revealFileInOS', folder);
  }
}
