/** The tools for agents, which `waza-lsp mcp` serves: where the server is that does so. */

import { Uri, workspace, type WorkspaceFolder } from 'vscode';

import { exists } from './files';
import type { Server } from './server';

/** The response of `waza/mcp`. */
export interface ToolServer {
  command: string;
  args: string[];
  /** Whether the package for the protocol is installed. Single tools can be called without it. */
  isInstalled: boolean;
}

export async function toolServer(server: Server): Promise<ToolServer | undefined> {
  return server.request<ToolServer>('waza/mcp', {});
}

/** The folder that the paths of a tool's arguments are relative to: of several, the one that has the first path. */
export async function folderOf(input: object): Promise<WorkspaceFolder | undefined> {
  const folders = workspace.workspaceFolders ?? [];
  const { path, paths } = input as { path?: unknown; paths?: unknown };
  const first: unknown = path ?? (Array.isArray(paths) ? paths[0] : undefined);
  if (folders.length > 1 && typeof first === 'string' && first !== '') {
    for (const folder of folders) {
      if (await exists(Uri.joinPath(folder.uri, first))) {
        return folder;
      }
    }
  }
  return folders[0];
}
