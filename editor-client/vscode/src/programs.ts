/** Locations of programs, and whether a file is one. */

import { access, constants, stat } from 'node:fs/promises';
import * as path from 'node:path';

/** The program folder of a virtual environment. */
export function scripts(environment: string): string {
  return path.join(environment, process.platform === 'win32' ? 'Scripts' : 'bin');
}

export function searchPath(): string[] {
  // A relative entry would depend on the working directory.
  return (process.env['PATH'] ?? '').split(path.delimiter).filter((it) => path.isAbsolute(it));
}

export async function isProgram(file: string): Promise<boolean> {
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
