/**
 * Finds the server: a setting, the environment, a virtual environment, `PATH`, a Python that has it. If there is
 * none, the extension brings one.
 *
 * An untrusted workspace cannot choose the server: VS Code hides its values of the settings
 * (`restrictedConfigurations` in the manifest), and programs inside it are skipped.
 */

import { homedir } from 'node:os';
import * as path from 'node:path';
import { workspace } from 'vscode';

import type { NotFound, Places, ServerCommand } from './found';
import { installedServer, installServer } from './install';
import { asModule, isProgram, scripts, searchPath } from './programs';
import { activeEnvironment } from './python';
import { activated, hasServer, pythonsOnPath } from './pythons';

/** Like the setting `waza.server.path`, for all windows that are started from a shell. */
const variable = 'WAZA_LSP_SERVER';

const program = process.platform === 'win32' ? 'waza-lsp.exe' : 'waza-lsp';

export async function locateServer(places: Places): Promise<ServerCommand | NotFound> {
  const settings = workspace.getConfiguration('waza.server');
  const named: [string, string][] = [
    ['setting waza.server.path', expand(settings.get('path', ''))],
    [`environment variable ${variable}`, process.env[variable] ?? ''],
  ];
  const interpreter = expand(settings.get('interpreter', ''));
  for (const [what, command] of interpreter ? named.slice(0, 1) : named) {
    if (command) {
      return (await isProgram(command)) ? start(command, `from the ${what}`) : noSuchProgram(what, command);
    }
  }
  if (interpreter) {
    return withInterpreter(interpreter, places);
  }
  const isOursWanted = settings.get('importStrategy') === 'useBundled';
  return (
    (isOursWanted ? undefined : await inEnvironments()) ??
    (await installedServer(places)) ??
    (isOursWanted ? undefined : await inPythonOnPath()) ??
    (await installServer(places))
  );
}

/** Install the extension's own server anew, with the chosen Python if there is one. */
export function reinstallServer(places: Places): Promise<ServerCommand | NotFound> {
  const interpreter = expand(workspace.getConfiguration('waza.server').get('interpreter', ''));
  return installServer(places, interpreter || undefined, true);
}

/** The chosen Python has the server, or the server is installed with this Python. */
async function withInterpreter(interpreter: string, places: Places): Promise<ServerCommand | NotFound> {
  const setting = 'setting waza.server.interpreter';
  if (!(await isProgram(interpreter))) {
    return noSuchProgram(setting, interpreter);
  }
  if (await hasServer(interpreter)) {
    return { ...start(interpreter, `from the ${setting}`), args: asModule };
  }
  return (await installedServer(places, interpreter)) ?? installServer(places, interpreter);
}

async function inEnvironments(): Promise<ServerCommand | undefined> {
  for (const folder of [...(await environmentFolders()), ...searchPath()]) {
    const candidate = path.join(folder, program);
    if (await isProgram(candidate)) {
      return start(candidate, `from ${candidate}`);
    }
  }
  return undefined;
}

async function environmentFolders(): Promise<string[]> {
  if (!workspace.isTrusted) {
    return [];
  }
  const roots = (workspace.workspaceFolders ?? []).map((folder) => path.join(folder.uri.fsPath, '.venv'));
  const environments = [await activeEnvironment(), ...activated(), ...roots];
  return environments.filter((it) => it !== undefined).map(scripts);
}

async function inPythonOnPath(): Promise<ServerCommand | undefined> {
  for (const python of await pythonsOnPath()) {
    if (await hasServer(python)) {
      return { ...start(python, `from ${python}`), args: asModule };
    }
  }
  return undefined;
}

function start(command: string, origin: string): ServerCommand {
  return { command, args: ['serve'], origin, isOurs: false };
}

function expand(setting: string): string {
  const root = workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  return setting.trim().replace(/^~(?=[/\\])/, homedir()).replaceAll('${workspaceFolder}', root);
}

function noSuchProgram(what: string, value: string): NotFound {
  const problem = `The ${what} names no program: ${value} (an absolute path is needed).`;
  return { problem, ...(what.startsWith('setting ') ? { setting: what.slice('setting '.length) } : {}) };
}
