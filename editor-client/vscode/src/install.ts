/** Installs the server into its own virtual environment, in the extension's storage folder. */

import { spawn } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import * as path from 'node:path';
import * as readline from 'node:readline';
import {
  CancellationError,
  ProgressLocation,
  window,
  type CancellationToken,
  type LogOutputChannel,
} from 'vscode';

import { isNewEnough, pythonsOnPath } from './interpreters';
import type { Places } from './locate';
import { scripts } from './programs';

const project = 'waza-lsp';

/** Returns whether it is installed. If not, the user has seen the reason. */
export async function installServer({ installed }: Places, log: LogOutputChannel): Promise<boolean> {
  const python = await newEnoughPython();
  if (!python) {
    const problem = 'No Python 3.11 or newer is on PATH. Install one, or name one in waza.server.interpreter.';
    void window.showErrorMessage(problem);
    return false;
  }
  const options = { location: ProgressLocation.Notification, title: `Installing ${project}`, cancellable: true };
  try {
    await window.withProgress(options, async (progress, cancellation) => {
      await mkdir(path.dirname(installed), { recursive: true });
      progress.report({ message: 'making a virtual environment' });
      await run([python, '-m', 'venv', '--clear', installed], log, cancellation);
      progress.report({ message: 'asking the package index' });
      const pip = [path.join(scripts(installed), 'python'), '-m', 'pip', '--disable-pip-version-check'];
      await run([...pip, 'install', '--upgrade', project], log, cancellation);
    });
    return true;
  } catch (error) {
    // A partial environment would be mistaken for the server.
    await rm(installed, { recursive: true, force: true });
    if (!(error instanceof CancellationError)) {
      await explain(error, log);
    }
    return false;
  }
}

async function newEnoughPython(): Promise<string | undefined> {
  for (const python of await pythonsOnPath()) {
    if (await isNewEnough(python)) {
      return python;
    }
  }
  return undefined;
}

/** Runs a program to its end. Its output goes to the log, its last line into the error. */
async function run(
  [program = '', ...args]: string[],
  log: LogOutputChannel,
  cancellation: CancellationToken,
): Promise<void> {
  log.info([program, ...args].join(' '));
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const cancelled = cancellation.onCancellationRequested(() => child.kill());
  let last = '';
  for (const stream of [child.stdout, child.stderr]) {
    readline.createInterface({ input: stream }).on('line', (line) => {
      log.info(line);
      last = line.trim() || last;
    });
  }
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject).on('close', resolve);
    });
    if (cancellation.isCancellationRequested) {
      throw new CancellationError();
    }
    if (code !== 0) {
      throw new Error(last || `${program} ended with status ${code}`);
    }
  } finally {
    cancelled.dispose();
  }
}

async function explain(error: unknown, log: LogOutputChannel): Promise<void> {
  const why = error instanceof Error ? error.message : String(error);
  log.error(why);
  const answer = await window.showErrorMessage(`${project} could not be installed: ${why}`, 'Show Logs');
  if (answer) {
    log.show();
  }
}
