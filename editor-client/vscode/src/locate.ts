/**
 * Finds the server: a setting, the environment, a virtual environment, `PATH`, the server that the
 * extension installed, a Python that has it.
 *
 * An untrusted workspace cannot choose the server: VS Code hides its values of the two settings
 * (`restrictedConfigurations` in the manifest), and environments inside it are skipped.
 */

import { homedir } from 'node:os';
import * as path from 'node:path';
import { workspace } from 'vscode';

import { hasServer, pythonsOnPath } from './interpreters';
import { isProgram, scripts, searchPath } from './programs';
import { activeEnvironment } from './python';

export interface ServerCommand {
  command: string;
  args: string[];
}

/** The reason why there is nothing to start, for the user. */
export interface NotFound {
  problem: string;
  /** The setting with the missing path. Without one, the server can be installed instead. */
  setting: string;
  canInstall: boolean;
}

/** Folders of the extension. */
export interface Places {
  /** The virtual environment of the server that the extension installed. */
  installed: string;
}

/** Like the setting `waza.server.path`, for all windows that are started from a shell. */
export const variable = 'WAZA_LSP_SERVER';

const program = process.platform === 'win32' ? 'waza-lsp.exe' : 'waza-lsp';
// -P: otherwise `-m` searches the working directory first, which is the workspace.
const asModule = ['-P', '-m', 'waza_lsp', 'serve'];

export async function locateServer({ installed }: Places): Promise<ServerCommand | NotFound> {
  const settings = workspace.getConfiguration('waza.server');
  const named: [string, string, string[]][] = [
    ['setting waza.server.path', expand(settings.get('path', '')), ['serve']],
    ['setting waza.server.interpreter', expand(settings.get('interpreter', '')), asModule],
    [`environment variable ${variable}`, process.env[variable] ?? '', ['serve']],
  ];
  for (const [what, command, args] of named) {
    if (command) {
      return (await isProgram(command)) ? { command, args } : noSuchProgram(what, command);
    }
  }
  for (const folder of [...(await environmentFolders()), ...searchPath(), scripts(installed)]) {
    const candidate = path.join(folder, program);
    if (await isProgram(candidate)) {
      return { command: candidate, args: ['serve'] };
    }
  }
  for (const python of await pythonsOnPath()) {
    if (await hasServer(python)) {
      return { command: python, args: asModule };
    }
  }
  return {
    problem: 'waza-lsp was not found: no virtual environment has it, and it is not on PATH.',
    setting: 'waza.server.path',
    canInstall: true,
  };
}

async function environmentFolders(): Promise<string[]> {
  if (!workspace.isTrusted) {
    return [];
  }
  const roots = (workspace.workspaceFolders ?? []).map((folder) => path.join(folder.uri.fsPath, '.venv'));
  const environments = [await activeEnvironment(), process.env['VIRTUAL_ENV'], ...roots];
  return environments.filter((it) => it !== undefined).map(scripts);
}

function expand(setting: string): string {
  const root = workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  return setting.trim().replace(/^~(?=[/\\])/, homedir()).replaceAll('${workspaceFolder}', root);
}

function noSuchProgram(what: string, value: string): NotFound {
  return {
    problem: `The ${what} names no program: ${value} (an absolute path is needed).`,
    setting: what.replace(/^setting /, ''),
    canInstall: false,
  };
}
