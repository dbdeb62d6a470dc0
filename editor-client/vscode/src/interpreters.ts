/** Python interpreters on `PATH`: whether they have the server or can install it. */

import { execFile } from 'node:child_process';
import * as path from 'node:path';
import { promisify } from 'node:util';

import { isProgram, searchPath } from './programs';

const run = promisify(execFile);
const names = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python'];
const suffix = process.platform === 'win32' ? '.exe' : '';
const timeoutMs = 10_000;

/** The first interpreter of each name. */
export async function pythonsOnPath(): Promise<string[]> {
  const found = await Promise.all(names.map(firstOnPath));
  return found.filter((it) => it !== undefined);
}

export function hasServer(python: string): Promise<boolean> {
  return succeeds(python, 'import waza_lsp');
}

export function isNewEnough(python: string): Promise<boolean> {
  return succeeds(python, 'import venv');
}

async function firstOnPath(name: string): Promise<string | undefined> {
  for (const folder of searchPath()) {
    const candidate = path.join(folder, name + suffix);
    if (await isProgram(candidate)) {
      return candidate;
    }
  }
  return undefined;
}

async function succeeds(python: string, code: string): Promise<boolean> {
  try {
    // -P prevents imports from the working directory. A Python without it is too old.
    await run(python, ['-P', '-c', code], { timeout: timeoutMs });
    return true;
  } catch {
    return false;
  }
}
