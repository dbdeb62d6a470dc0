/** What comes with the extension to install the server: our wheel, pip, and a lock file with hashes. */

import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import * as path from 'node:path';

export interface Bundle {
  folder: string;
  /** The lock file. It names our wheel, too, with its hash. */
  requirements: string;
  pip: string;
  /** The version of the server. */
  version: string;
  /**
   * The name of the environment. It differs for any other content, so that an update of the extension updates the server,
   * and for any other choice of an interpreter.
   */
  key: string;
  /** The number of packages to install. */
  packages: number;
}

export async function readBundle(folder: string, interpreter = ''): Promise<Bundle> {
  const requirements = path.join(folder, 'requirements.txt');
  const lock = await readFile(requirements, 'utf8');
  const version = /^\.\/waza_lsp-([^-]+)-/m.exec(lock)?.[1];
  const pip = (await readdir(folder)).find((it) => /^pip-.*\.whl$/.test(it));
  if (!version || !pip) {
    throw new Error(`${folder} is incomplete. Reinstall the extension.`);
  }
  const hash = createHash('sha256').update(lock + interpreter).digest('hex');
  return {
    folder,
    requirements,
    pip: path.join(folder, pip),
    version,
    key: `${version}-${hash.slice(0, 12)}`,
    packages: (lock.match(/^\S/gm) ?? []).length,
  };
}
