/** What VS Code calls. Everything that has to do with eval files is the server's work. */

import { commands, window, workspace, type ExtensionContext } from 'vscode';

import { whenNeeded } from './need';
import { Server } from './server';
import { createStatus } from './status';

let server: Server | undefined;

export function activate(context: ExtensionContext): void {
  const log = window.createOutputChannel('waza-lsp', { log: true });
  const status = createStatus();
  const current = new Server(log, status);
  server = current;
  context.subscriptions.push(
    log,
    status,
    current,
    commands.registerCommand('waza.restartServer', () => current.start()),
    commands.registerCommand('waza.showLogs', () => log.show()),
    workspace.onDidGrantWorkspaceTrust(() => void current.restart()),
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('waza.server')) {
        void current.restart();
      }
    }),
    whenNeeded(() => void current.start()),
  );
}

/** VS Code waits for this, not for disposals: the server gets to end what it runs. */
export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}
