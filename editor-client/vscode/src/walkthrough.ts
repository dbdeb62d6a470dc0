/** What the steps of the walkthrough need: commands that work before the server runs, and what was done. */

import { commands, Disposable } from 'vscode';

import type { Server } from './server';

export function walkthrough(server: Server): Disposable {
  return Disposable.from(
    // Commands of the server exist only while it runs, and an empty folder does not start it.
    commands.registerCommand('waza.do', async (command: string) => {
      if (!(await commands.getCommands(true)).includes(command)) {
        await server.start();
      }
      await commands.executeCommand(command);
    }),
    // A run can also start from the Testing view or from chat.
    server.onRunEvent(({ event }) => {
      if (event === 'run_finished') {
        void commands.executeCommand('setContext', 'waza.hasRun', true);
      }
    }),
  );
}
