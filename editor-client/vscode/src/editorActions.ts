/** What the server asks of the editor and LSP has no request for, see `waza/editorAction` in docs/protocol.md. */

import { ConfigurationTarget, commands, env, window, workspace } from 'vscode';

export type EditorAction =
  | { action: 'openTerminal'; command: string }
  | { action: 'openSetting'; name: string }
  | { action: 'saveSetting'; name: string; value: unknown }
  | { action: 'manageTrust' }
  | { action: 'showLogs' };

export async function perform(request: EditorAction): Promise<void> {
  switch (request.action) {
    case 'openTerminal': {
      const terminal = window.createTerminal('waza-lsp');
      terminal.show();
      // Without a line end: the user sees what would run, and starts it.
      terminal.sendText(request.command, false);
      break;
    }
    case 'openSetting': {
      // With a remote machine, the user settings do not show machine-specific values.
      const page = env.remoteName ? 'openRemoteSettings' : 'openSettings';
      await commands.executeCommand(`workbench.action.${page}`, { query: request.name });
      break;
    }
    case 'saveSetting':
      // For the user: a project's agent is not the choice of one of its authors.
      await workspace
        .getConfiguration()
        .update(request.name, request.value || undefined, ConfigurationTarget.Global);
      break;
    case 'showLogs':
      await commands.executeCommand('waza.showLogs');
      break;
    case 'manageTrust':
      await commands.executeCommand('workbench.trust.manage');
      break;
  }
}
