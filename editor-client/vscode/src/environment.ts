/**
 * The server's own environment, in the extension's storage folder, made from the files of the extension.
 *
 * Its folder is named by the content of those files, so each version of the extension has its own. It is
 * made under another name and renamed at the end: a folder with the right name is complete.
 */

import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import { CancellationError, type CancellationToken, type LogOutputChannel } from 'vscode';

import { addAgain, noteLock } from './addedPackages';
import type { Bundle } from './bundle';
import { execute } from './execute';
import { explainFailure, stepEnvironment, stepsWithPip, stepsWithUv, type Step } from './installSteps';
import { isProgram, pythonIn } from './programs';

export interface Making {
  log: LogOutputChannel;
  cancellation: CancellationToken;
  /** `share`: of the whole, in percent. */
  report: (message: string, share: number) => void;
}

/** A failure with its reason for the user. The log has the rest. */
export class InstallError extends Error {}

/** What there is to make it with. */
export interface Tools {
  uv: string | undefined;
  python: string | undefined;
}

const partial = '.partial';
const unusedMs = 7 * 24 * 60 * 60 * 1000;
const partialMs = 60 * 60 * 1000;

/** The Python of the environment, or undefined if it is not made, or its own Python is gone. */
export async function readyEnvironment(storage: string, { key }: Bundle): Promise<string | undefined> {
  const target = path.join(storage, key);
  const python = pythonIn(target);
  if (!(await isProgram(python))) {
    return undefined;
  }
  const now = new Date();
  await utimes(target, now, now).catch(() => {});
  return python;
}

/** Make the environment with uv or this Python. Returns its Python. `again`: even if there is one. */
export async function makeEnvironment(
  storage: string,
  bundle: Bundle,
  { uv, python }: Tools,
  again: boolean,
  making: Making,
): Promise<string> {
  const target = path.join(storage, bundle.key);
  const made = `${target}.${randomBytes(4).toString('hex')}${partial}`;
  await mkdir(storage, { recursive: true });
  const old = again ? await identity(target) : undefined;
  try {
    const options = { cwd: bundle.folder, env: stepEnvironment(process.env, os.devNull) };
    await firstThatWorks(waysTo(made, bundle, { uv, python }), made, bundle, options, making);
    await noteLock(made, bundle);
    try {
      await addAgain(storage, bundle, made, options, making);
    } catch (error) {
      if (error instanceof CancellationError) {
        throw error;
      }
      // Without such a package, the server says what is missing and how to install it.
      making.log.error(String(error));
    }
    // Another window can have been quicker, and runs its server in there.
    const isAnothers = async (): Promise<boolean> =>
      (await readyEnvironment(storage, bundle)) !== undefined && (await identity(target)) !== old;
    await putInPlace(made, target, isAnothers);
    return pythonIn(target);
  } finally {
    await rm(made, { recursive: true, force: true }).catch(() => {});
  }
}

/** Remove environments of other versions that no window has started for a week, and remains of attempts. */
export async function tidy(storage: string, { key }: Bundle): Promise<void> {
  for (const name of await readdir(storage).catch(() => [])) {
    const folder = path.join(storage, name);
    const age = Date.now() - (await stat(folder)).mtimeMs;
    if (name !== key && age > (name.endsWith(partial) ? partialMs : unusedMs)) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** Tells a folder from another one that was made in its place later. */
async function identity(folder: string): Promise<number | undefined> {
  return (await stat(folder).catch(() => undefined))?.ino;
}

/**
 * Rename `from` to `to`, unless another window's folder is there, even if it appears only now.
 *
 * What else is in the way is removed. A virus scanner on Windows can hold files open for a moment.
 */
async function putInPlace(from: string, to: string, isAnothers: () => Promise<boolean>): Promise<void> {
  for (let attempts = 10; ; attempts -= 1) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      if (attempts <= 1) {
        throw error;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
    if (await isAnothers()) {
      return;
    }
    // Renamed before it is removed: another window can put its folder there while files are removed one by one.
    const aside = `${to}.${randomBytes(4).toString('hex')}${partial}`;
    const isAside = await rename(to, aside).then(
      () => true,
      () => false,
    );
    if (isAside) {
      await rm(aside, { recursive: true, force: true }).catch(() => {});
    }
  }
}

/** uv first: it needs 1 s where pip needs 7. */
function waysTo(made: string, bundle: Bundle, { uv, python }: Tools): Step[][] {
  const inside = pythonIn(made);
  return [
    ...(uv ? [false, true].map((offline) => stepsWithUv(uv, python, made, inside, bundle, offline)) : []),
    ...(python ? [stepsWithPip(python, made, inside, bundle)] : []),
  ];
}

async function firstThatWorks(
  ways: Step[][],
  made: string,
  bundle: Bundle,
  options: { cwd: string; env: NodeJS.ProcessEnv },
  making: Making,
): Promise<void> {
  let reason = '';
  for (const steps of ways) {
    const lines: string[] = [];
    try {
      await rm(made, { recursive: true, force: true });
      for (const { command, title } of steps) {
        making.report(title, 0);
        await execute(command, options, making, (line) => {
          lines.push(line);
          if (line.startsWith('Collecting ')) {
            making.report(title, 90 / bundle.packages);
          }
        });
      }
      return;
    } catch (error) {
      if (error instanceof CancellationError) {
        throw error;
      }
      making.log.error(String(error));
      reason ||= explainFailure(lines);
    }
  }
  throw new InstallError(reason);
}
