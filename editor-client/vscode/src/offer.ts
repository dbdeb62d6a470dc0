/** A message with one button, which runs a command. */

import { commands, window } from 'vscode';

export function offer(message: string, button: string, command: string): void {
  void window.showInformationMessage(message, button).then((answer) => {
    if (answer === button) {
      void commands.executeCommand(command);
    }
  });
}

export function offerRun(message: string): void {
  offer(message, 'Run All Tasks', 'waza.runEval');
}
