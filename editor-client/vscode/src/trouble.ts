/** Messages and actions for the user if there is no server. */

import { commands, window } from 'vscode';

import { perform } from './editorActions';
import type { NotFound } from './found';

// VS Code cuts longer ones where four stand side by side.
const retry = 'Retry';
const choose = 'Choose Interpreter...';
const logs = 'Show Logs';
const python = 'Get Python';
const openSetting = 'Open Setting';

export async function explainNotFound({ problem, setting, needsPython, cancelled }: NotFound): Promise<void> {
  const first = setting ? [openSetting] : needsPython ? [python] : [];
  const show = cancelled ? window.showInformationMessage : window.showErrorMessage;
  const answer = await show(problem, ...first, retry, choose, logs);
  if (setting && answer === openSetting) {
    await perform({ action: 'openSetting', name: setting });
  } else {
    await act(answer, 'waza.restartServer');
  }
}

/** `isOurs`: the server in our environment, which is then made anew. */
export async function explainFailedStart(command: string, isOurs: boolean): Promise<void> {
  const answer = await window.showErrorMessage(`The server did not start: ${command}`, retry, choose, logs);
  await act(answer, isOurs ? 'waza.installServer' : 'waza.restartServer');
}

export async function explainNotRunning(): Promise<void> {
  await act(await window.showErrorMessage('The server is not running.', retry, logs), 'waza.restartServer');
}

async function act(answer: string | undefined, again: string): Promise<void> {
  const commandOf = new Map([
    [retry, again],
    [choose, 'waza.chooseInterpreter'],
    [logs, 'waza.showLogs'],
    [python, 'waza.howToGetPython'],
  ]);
  const command = commandOf.get(answer ?? '');
  if (command) {
    await commands.executeCommand(command);
  }
}
