/**
 * Finding the program to start: a setting, a virtual environment, `PATH`.
 *
 * A workspace that is not trusted has no say: VS Code hides its values of the two settings
 * (`restrictedConfigurations` in the manifest), and environments inside it are passed over.
 */

import { access, constants, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as path from 'node:path';
import { workspace } from 'vscode';

import { activeEnvironment } from './python';

export interface ServerCommand {
  command: string;
  args: string[];
}

/** Why there is nothing to start, for the user to read. */
export interface NotFound {
  problem: string;
  setting: string;
}

const windows = process.platform === 'win32';
const program = windows ? 'waza-lsp.exe' : 'waza-lsp';

export async function locateServer(): Promise<ServerCommand | NotFound> {
  const settings = workspace.getConfiguration('waza.server');
  const chosen = expand(settings.get('path', ''));
  if (chosen) {
    return (await isProgram(chosen)) ? { command: chosen, args: ['serve'] } : noSuchProgram('path', chosen);
  }
  const interpreter = expand(settings.get('interpreter', ''));
  if (interpreter) {
    // -P: without it `-m` looks into the working directory first, which is the workspace.
    const args = ['-P', '-m', 'waza_lsp', 'serve'];
    return (await isProgram(interpreter))
      ? { command: interpreter, args }
      : noSuchProgram('interpreter', interpreter);
  }
  for (const folder of [...(await environmentFolders()), ...searchPath()]) {
    const candidate = path.join(folder, program);
    if (await isProgram(candidate)) {
      return { command: candidate, args: ['serve'] };
    }
  }
  return {
    problem: 'waza-lsp was not found: no virtual environment has it, and it is not on PATH.',
    setting: 'waza.server.path',
  };
}

async function environmentFolders(): Promise<string[]> {
  if (!workspace.isTrusted) {
    return [];
  }
  const roots = (workspace.workspaceFolders ?? []).map((folder) => path.join(folder.uri.fsPath, '.venv'));
  const environments = [await activeEnvironment(), process.env['VIRTUAL_ENV'], ...roots];
  return environments.filter((it) => it !== undefined).map((it) => path.join(it, windows ? 'Scripts' : 'bin'));
}

function searchPath(): string[] {
  // A relative entry would be looked up in whatever the working directory is.
  return (process.env['PATH'] ?? '').split(path.delimiter).filter((it) => path.isAbsolute(it));
}

function expand(setting: string): string {
  const root = workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  return setting.trim().replace(/^~(?=[/\\])/, homedir()).replaceAll('${workspaceFolder}', root);
}

async function isProgram(file: string): Promise<boolean> {
  if (!path.isAbsolute(file)) {
    return false;
  }
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

function noSuchProgram(setting: 'path' | 'interpreter', value: string): NotFound {
  const problem = `The setting waza.server.${setting} names no program: ${value} (an absolute path is needed).`;
  return { problem, setting: `waza.server.${setting}` };
}
