/** Locations of programs, whether a file is one, and whether it may be started. */

import { access, constants, lstat, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { workspace } from 'vscode';

const suffix = process.platform === 'win32' ? '.exe' : '';

/** The server as a module. -P: otherwise `-m` searches the working directory first, which is the workspace. */
export const asModule = ['-P', '-m', 'waza_lsp', 'serve'];

/** The program folder of a virtual environment. */
export function scripts(environment: string): string {
  return path.join(environment, process.platform === 'win32' ? 'Scripts' : 'bin');
}

/** The Python of a virtual environment. */
export function pythonIn(environment: string): string {
  return path.join(scripts(environment), `python${suffix}`);
}

export function searchPath(): string[] {
  // A relative entry would depend on the working directory.
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((it) => path.isAbsolute(it));
  return folders.filter(isAllowed);
}

export async function firstOnPath(name: string): Promise<string | undefined> {
  for (const folder of searchPath()) {
    const candidate = path.join(folder, name + suffix);
    if (await isProgram(candidate)) {
      return candidate;
    }
  }
  return undefined;
}

export async function isProgram(file: string): Promise<boolean> {
  if (!path.isAbsolute(file)) {
    return false;
  }
  try {
    await access(file, constants.X_OK);
    // `stat` cannot follow the links that the Microsoft Store puts on PATH.
    return !(await stat(file).catch(() => lstat(file))).isDirectory();
  } catch {
    return false;
  }
}

/** Before the workspace is trusted, nothing inside its folders is started. */
export function isAllowed(file: string): boolean {
  const folders = workspace.isTrusted ? [] : (workspace.workspaceFolders ?? []);
  return !folders.some(({ uri }) => isInside(file, uri.fsPath));
}

function isInside(file: string, folder: string): boolean {
  const way = path.relative(folder, file);
  return !way.startsWith('..') && !path.isAbsolute(way);
}
