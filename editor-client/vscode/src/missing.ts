/** What the user sees when there is no server to start. */

import { commands, env, window } from 'vscode';

import type { NotFound } from './locate';

const installCommand = 'python3 -m pip install waza-lsp';

export async function explainMissing({ problem, setting }: NotFound, retry: () => void): Promise<void> {
  const answer = await window.showErrorMessage(problem, 'Open Setting', 'Show Install Command');
  if (answer === 'Open Setting') {
    await commands.executeCommand('workbench.action.openSettings', setting);
  } else if (answer === 'Show Install Command') {
    await explainInstall(retry);
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
