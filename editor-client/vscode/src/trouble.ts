/** What the user sees when there is no server, and what can be done about it. */

import { commands, env, window } from 'vscode';

import type { NotFound } from './locate';

const install = 'Install';
const openSetting = 'Open Setting';

export async function explainNotFound({ problem, setting, canInstall }: NotFound): Promise<void> {
  const isSetting = setting.startsWith('waza.');
  const offers = [...(canInstall ? [install] : []), ...(isSetting ? [openSetting] : [])];
  const answer = await window.showErrorMessage(problem, ...offers);
  if (answer === openSetting) {
    // Beside a remote machine, the user's own settings do not show what counts for one machine only.
    const page = env.remoteName ? 'openRemoteSettings' : 'openSettings';
    await commands.executeCommand(`workbench.action.${page}`, { query: setting });
  } else if (answer === install) {
    await commands.executeCommand('waza.installServer');
  }
}

export async function explainFailedStart(command: string): Promise<void> {
  const answer = await window.showErrorMessage(`The server did not start: ${command}`, 'Show Logs');
  if (answer === 'Show Logs') {
    await commands.executeCommand('waza.showLogs');
  }
}
