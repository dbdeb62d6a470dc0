/**
 * Offers `waza-lsp mcp` of the running server to VS Code, for each folder. VS Code starts it when an
 * agent wants it.
 *
 * Older versions of VS Code have no such servers, so their API is looked up at run time.
 */

import * as vscode from 'vscode';

import { toolServer } from './agentTools';
import type { Server } from './server';

/** The id in the manifest. */
const id = 'waza.mcp';

/** The part of VS Code's API that this module uses. */
interface McpApi {
  lm?: {
    registerMcpServerDefinitionProvider?(id: string, provider: object): vscode.Disposable;
  };
  McpStdioServerDefinition: new (label: string, command: string, args: string[]) => object;
}

export function mcpServers(server: Server): vscode.Disposable {
  const api = vscode as unknown as McpApi;
  if (!api.lm?.registerMcpServerDefinitionProvider) {
    return new vscode.Disposable(() => {});
  }
  const changed = new vscode.EventEmitter<void>();
  return vscode.Disposable.from(
    changed,
    server.onReady(() => changed.fire()),
    server.onGone(() => changed.fire()),
    api.lm.registerMcpServerDefinitionProvider(id, {
      onDidChangeMcpServerDefinitions: changed.event,
      async provideMcpServerDefinitions() {
        const found = await toolServer(server);
        const folders = found?.isInstalled ? (vscode.workspace.workspaceFolders ?? []) : [];
        return folders.map(({ name, uri }) => {
          const label = folders.length > 1 ? `waza-lsp: ${name}` : 'waza-lsp';
          return new api.McpStdioServerDefinition(label, found?.command ?? '', [
            ...(found?.args ?? []),
            '--folder',
            uri.fsPath,
          ]);
        });
      },
    }),
  );
}
