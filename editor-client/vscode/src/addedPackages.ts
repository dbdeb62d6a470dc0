/** The packages that the user has added to the server's environment. They come again with its next version. */

import { copyFile, readdir, stat } from 'node:fs/promises';
import * as path from 'node:path';

import type { Bundle } from './bundle';
import { execute } from './execute';
import { isProgram, pythonIn } from './programs';

/** In each environment: the lock file that it was made from. */
const lockName = 'requirements.txt';

/** An environment as `bundle.ts` names it, not an attempt. */
const environmentName = /^[\w.]+-[0-9a-f]{12}$/;

/** Prints what is installed beside the packages of the lock files it gets. */
const printAdded = `
import importlib.metadata, pathlib, re, sys
plain = lambda name: re.sub('[-_.]+', '-', name).lower()
texts = [pathlib.Path(it).read_text('utf-8') for it in sys.argv[1:] if pathlib.Path(it).is_file()]
locked = {plain(''.join(it)) for text in texts for it in re.findall(r'(?m)^(?:\\./(\\w+)-|([\\w.-]+)==)', text)}
for it in importlib.metadata.distributions():
    if plain(it.name) not in locked:
        print(f'{it.name}=={it.version}')
`;
const pin = /^[A-Za-z0-9][\w.-]*==[\w.+!]+$/;

export async function noteLock(environment: string, { requirements }: Bundle): Promise<void> {
  await copyFile(requirements, path.join(environment, lockName));
}

/** Install in the environment `made` what the user has added to the one that was used last. */
export async function addAgain(
  storage: string,
  bundle: Bundle,
  made: string,
  options: Parameters<typeof execute>[1],
  making: Parameters<typeof execute>[2],
): Promise<void> {
  const last = await lastUsed(storage, bundle.key);
  if (last === undefined) {
    return;
  }
  const pins: string[] = [];
  const lists = [path.join(last, lockName), bundle.requirements];
  await execute([pythonIn(last), '-I', '-c', printAdded, ...lists], options, making, (line) => {
    if (pin.test(line)) {
      pins.push(line);
    }
  });
  if (pins.length > 0) {
    const install = ['install', '--no-input', '--disable-pip-version-check', '--no-compile', '--no-deps'];
    const pip = [pythonIn(made), '-I', '-m', 'pip', ...install, '--only-binary', ':all:', ...pins];
    await execute(pip, options, making, () => {});
  }
}

/** The environment of another version that a window has started last. */
async function lastUsed(storage: string, key: string): Promise<string | undefined> {
  const names = (await readdir(storage)).filter((it) => environmentName.test(it) && it !== key);
  const folders = names.map((it) => path.join(storage, it));
  const found = await Promise.all(
    folders.map(async (it) => ({
      it,
      // Started last: `readyEnvironment` notes it.
      at: (await stat(it).catch(() => undefined))?.mtimeMs ?? 0,
      isComplete: await isProgram(pythonIn(it)),
    })),
  );
  return found.filter(({ isComplete }) => isComplete).sort((one, other) => other.at - one.at)[0]?.it;
}
