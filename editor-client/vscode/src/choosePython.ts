/** Chooses the Python for the server's environment, and says why none fits. Starts no process. */

/** What a program said about itself. Without a version, it could not be started. */
export interface Probed {
  file: string;
  version?: [major: number, minor: number];
  implementation?: string;
}

const oldest: [number, number] = [3, 11];
/** Newer ones can lack packages that are ready to install, so they are the second choice. */
const newestTried: [number, number] = [3, 14];

export const needed = 'Python 3.11 or newer';

export function isSuitable({ version, implementation }: Probed): boolean {
  return version !== undefined && implementation === 'cpython' && compare(version, oldest) >= 0;
}

export function isTried(probed: Probed): boolean {
  return isSuitable(probed) && compare(probed.version ?? oldest, newestTried) <= 0;
}

/** The first in the order of preference that is tried, else the first that is new enough. */
export function choosePython(probed: readonly Probed[]): Probed | undefined {
  return probed.find(isTried) ?? probed.find(isSuitable);
}

/** The problem, for the user, if none of these is suitable. */
export function whyNone(probed: readonly Probed[]): string {
  const best = [...probed]
    .filter((it) => it.version !== undefined)
    .sort((one, other) => compare(other.version ?? oldest, one.version ?? oldest))[0];
  return best
    ? `waza-lsp needs ${needed}, and found only ${describe(best)}.`
    : `waza-lsp needs ${needed}, and found no Python on this machine.`;
}

/** Such as `Python 3.9 (/usr/bin/python3)`. */
export function describe({ file, version, implementation }: Probed): string {
  const name = implementation === undefined || implementation === 'cpython' ? 'Python' : implementation;
  return `${name} ${version?.join('.') ?? '?'} (${file})`;
}

function compare(one: [number, number], other: [number, number]): number {
  return one[0] - other[0] || one[1] - other[1];
}
