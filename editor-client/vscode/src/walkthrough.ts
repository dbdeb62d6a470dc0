/** What the steps of the walkthrough need: commands that work before the server runs, and what was done. */

import { commands, Disposable, window } from 'vscode';

import type { Server } from './server';

/** The page of a walkthrough needs a moment to listen, on a busy machine a longer one. Nobody tells when it does. */
const pausesMs = [500, 1500, 4000, 10_000, 20_000];

export function walkthrough(server: Server): Disposable {
  const done = new Set<string>();

  /** The page takes note of a context only when it begins to hold, and never of one that held before the page opened. */
  async function tell(key: string): Promise<void> {
    await commands.executeCommand('setContext', key, true);
    await commands.executeCommand('setContext', key, false);
  }

  function note(key: string): void {
    done.add(key);
    void tell(key);
  }

  return Disposable.from(
    // Commands of the server exist only while it runs, and an empty folder does not start it.
    commands.registerCommand('waza.do', async (command: string) => {
      if (!(await commands.getCommands(true)).includes(command)) {
        await server.start();
      }
      await commands.executeCommand(command);
    }),
    server.onReady(() => note('waza.hasServer')),
    server.onGone(() => done.delete('waza.hasServer')),
    // A run can also start from the Testing view or from chat.
    server.onRunEvent(({ event }) => event === 'run_finished' && note('waza.hasRun')),
    window.tabGroups.onDidChangeTabs(({ opened }) => {
      // Pages of VS Code itself have no input.
      if (opened.some(({ input }) => input === undefined)) {
        for (const pause of pausesMs) {
          setTimeout(() => done.forEach((key) => void tell(key)), pause);
        }
      }
    }),
  );
}
