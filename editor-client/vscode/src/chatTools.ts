/**
 * Tools for chat: the same as those of `waza-lsp mcp`. Their names, descriptions and schemas are in
 * the manifest, generated from the server's. Each call is a process of its own.
 *
 * Older versions of VS Code have no such tools, so their API is looked up at run time.
 */

import { execFile } from 'node:child_process';
import * as vscode from 'vscode';

import { folderOf, toolServer } from './agentTools';
import type { Server } from './server';

const prefix = 'waza_';
const longestMs = 180_000;
const mostBytes = 8_000_000;

/** The part of VS Code's API that this module uses. */
interface ChatApi {
  lm?: {
    registerTool?(name: string, tool: ChatTool): vscode.Disposable;
  };
  LanguageModelToolResult: new (parts: unknown[]) => object;
  LanguageModelTextPart: new (text: string) => object;
}

interface ChatTool {
  invoke(options: { input: object }, cancellation: vscode.CancellationToken): Promise<object>;
}

interface Contributed {
  name: string;
}

export function chatTools(server: Server, manifest: object): vscode.Disposable {
  const api = vscode as unknown as ChatApi;
  const { contributes } = manifest as { contributes?: { languageModelTools?: Contributed[] } };
  const tools = api.lm?.registerTool ? (contributes?.languageModelTools ?? []) : [];
  return vscode.Disposable.from(
    ...tools.map(({ name }) =>
      (api.lm as Required<NonNullable<ChatApi['lm']>>).registerTool(name, {
        async invoke({ input }, cancellation) {
          const text = await call(server, name.slice(prefix.length), input, cancellation);
          return new api.LanguageModelToolResult([new api.LanguageModelTextPart(text)]);
        },
      }),
    ),
  );
}

async function call(
  server: Server,
  tool: string,
  input: object,
  cancellation: vscode.CancellationToken,
): Promise<string> {
  const folder = await folderOf(input);
  if (!folder) {
    throw new Error('No folder is open.');
  }
  let found = await toolServer(server);
  if (!found) {
    await server.start();
    found = await toolServer(server);
  }
  if (!found) {
    throw new Error('The server waza-lsp is not running. The user must install or start it first.');
  }
  const { command } = found;
  const args = [...found.args, '--folder', folder.uri.fsPath, '--call', tool];
  return new Promise((resolve, reject) => {
    const options = { cwd: folder.uri.fsPath, timeout: longestMs, maxBuffer: mostBytes };
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      stop.dispose();
      if (error) {
        reject(new Error(stderr.trim() || error.message));
      } else {
        resolve(stdout.trim());
      }
    });
    const stop = cancellation.onCancellationRequested(() => child.kill());
    child.stdin?.on('error', () => {}); // It may have ended already.
    child.stdin?.end(JSON.stringify(input));
  });
}
