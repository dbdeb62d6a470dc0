/** What the user sees when there is no server, and what can be done about it. */

import { commands, env, window } from 'vscode';

import type { NotFound } from './locate';

const installCommand = 'python3 -m pip install waza-lsp';

export async function explainNotFound({ problem, setting }: NotFound, retry: () => void): Promise<void> {
  const answer = await window.showErrorMessage(problem, 'Open Setting', 'Show Install Command');
  if (answer === 'Open Setting') {
    // Beside a remote machine, the user's own settings do not show what counts for one machine only.
    const page = env.remoteName ? 'openRemoteSettings' : 'openSettings';
    await commands.executeCommand(`workbench.action.${page}`, { query: setting });
  } else if (answer === 'Show Install Command') {
    await explainInstall(retry);
  }
}

export async function explainFailedStart(command: string): Promise<void> {
  const answer = await window.showErrorMessage(`The server did not start: ${command}`, 'Show Logs');
  if (answer === 'Show Logs') {
    await commands.executeCommand('waza.showLogs');
  }
}

async function explainInstall(retry: () => void): Promise<void> {
  const answer = await window.showInformationMessage(
    `Install the server in a terminal, then try again: ${installCommand}`,
    'Copy',
    'Try Again',
  );
  if (answer === 'Copy') {
    await env.clipboard.writeText(installCommand);
    await explainInstall(retry);
  } else if (answer === 'Try Again') {
    retry();
  }
}
