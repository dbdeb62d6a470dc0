/** Messages and actions for the user if there is no server. */

import { commands, window } from 'vscode';

import { perform } from './editorActions';
import type { NotFound } from './locate';

const install = 'Install';
const openSetting = 'Open Setting';

export async function explainNotFound({ problem, setting, canInstall }: NotFound): Promise<void> {
  const isSetting = setting.startsWith('waza.');
  const offers = [...(canInstall ? [install] : []), ...(isSetting ? [openSetting] : [])];
  const answer = await window.showErrorMessage(problem, ...offers);
  if (answer === openSetting) {
    await perform({ action: 'openSetting', name: setting });
  } else if (answer === install) {
    await commands.executeCommand('waza.installServer');
  }
}

export function explainFailedStart(command: string): Promise<void> {
  return pointToLogs(`The server did not start: ${command}`);
}

export function explainNotRunning(): Promise<void> {
  return pointToLogs('The server is not running.');
}

async function pointToLogs(problem: string): Promise<void> {
  const answer = await window.showErrorMessage(problem, 'Show Logs');
  if (answer) {
    await commands.executeCommand('waza.showLogs');
  }
}
