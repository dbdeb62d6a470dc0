/** Entry points for VS Code. The server does all work on eval files. */

import { Uri, commands, window, workspace, type ExtensionContext } from 'vscode';

import { atCursor } from './atCursor';
import { chatTools } from './chatTools';
import { chooseInterpreter } from './chooseInterpreter';
import { createFileStatus } from './fileStatus';
import { mcpServers } from './mcpServers';
import { whenNeeded } from './need';
import { newEval } from './newEval';
import { watchActiveEnvironment } from './python';
import { createRunsView } from './runsView';
import { Server } from './server';
import { createServerStatus } from './serverStatus';
import { offerSnippets } from './snippets';
import { createTestView } from './testView';
import { walkthrough } from './walkthrough';
import { keepSchemasAway } from './yamlExtension';

let server: Server | undefined;

export function activate(context: ExtensionContext): void {
  const log = window.createOutputChannel('waza-lsp', { log: true });
  const status = createServerStatus(context.extension.packageJSON.version);
  const places = {
    bundle: Uri.joinPath(context.extensionUri, 'dist', 'server').fsPath,
    storage: Uri.joinPath(context.globalStorageUri, 'server').fsPath,
  };
  const current = new Server(log, status, places);
  server = current;
  context.subscriptions.push(
    log,
    status,
    current,
    createFileStatus(current),
    createTestView(current),
    createRunsView(current),
    atCursor(current),
    chatTools(current, context.extension.packageJSON as object),
    mcpServers(current),
    walkthrough(current),
    offerSnippets(context.extensionUri),
    commands.registerCommand('waza.restartServer', () => current.start()),
    commands.registerCommand('waza.showLogs', () => log.show()),
    commands.registerCommand('waza.newEval', () => newEval(current)),
    commands.registerCommand('waza.installServer', () => current.reinstall()),
    commands.registerCommand('waza.chooseInterpreter', async () => {
      if (await chooseInterpreter()) {
        await current.start();
      }
    }),
    commands.registerCommand('waza.howToGetPython', () =>
      commands.executeCommand('markdown.showPreview', Uri.joinPath(context.extensionUri, 'media', 'python.md')),
    ),
    workspace.onDidGrantWorkspaceTrust(() => void current.restart()),
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('waza.server')) {
        void current.restart();
      }
    }),
    whenNeeded(() => {
      void current.start();
      context.subscriptions.push(watchActiveEnvironment(() => void current.relocate()));
    }),
  );
  keepSchemasAway().catch((error: unknown) => log.warn(`The YAML extension: ${String(error)}`));
}

/** VS Code waits for this, not for disposals, so the server can stop its runs. */
export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}
