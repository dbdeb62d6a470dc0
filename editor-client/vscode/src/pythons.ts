/**
 * The user's Python interpreters and `uv`: where they are, what they are, whether they have the server.
 *
 * An untrusted workspace offers none: programs inside its folders are not started.
 */

import { execFile } from 'node:child_process';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { workspace } from 'vscode';

import { isTried, type Probed } from './choosePython';
import { firstOnPath, isAllowed, isProgram, scripts } from './programs';
import { activeEnvironment } from './python';

const run = promisify(execFile);
const timeoutMs = 10_000;
const isWindows = process.platform === 'win32';
const names = ['python3', 'python', 'python3.14', 'python3.13', 'python3.12', 'python3.11'];
const introduction =
  'import sys; print(sys.implementation.name, *sys.version_info[:2], sys.executable, sep="\\n")';

/** The first interpreter of each name. */
export async function pythonsOnPath(): Promise<string[]> {
  const found = await Promise.all(names.map(firstOnPath));
  return found.filter((it) => it !== undefined && !isStub(it)) as string[];
}

/** The interpreters in order of preference, each asked what it is, up to the first with which all is tried. */
export async function findPythons(): Promise<Probed[]> {
  const probed: Probed[] = [];
  for await (const it of candidates()) {
    probed.push(it);
    if (isTried(it)) {
      break;
    }
  }
  return probed;
}

/** All of them, for the user's choice. */
export async function allPythons(): Promise<Probed[]> {
  const probed: Probed[] = [];
  for await (const it of candidates()) {
    probed.push(it);
  }
  return probed;
}

export function findUv(): Promise<string | undefined> {
  return firstOnPath('uv');
}

export async function hasServer(python: string): Promise<boolean> {
  try {
    // -P prevents imports from the working directory. A Python without it is too old.
    const find = 'import importlib.util as it; assert it.find_spec("waza_lsp")';
    await run(python, ['-P', '-c', find], { timeout: timeoutMs });
    return true;
  } catch {
    return false;
  }
}

/** Ask a program which Python it is. `-I`: neither the working directory nor the environment adds code. */
export async function probe(program: string, ...args: string[]): Promise<Probed> {
  try {
    const options = { timeout: timeoutMs, encoding: 'utf8' } as const;
    const { stdout } = await run(program, [...args, '-X', 'utf8', '-I', '-c', introduction], options);
    const [implementation = '', major, minor, file = program] = stdout.trim().split(/\r?\n/);
    return { file, version: [Number(major), Number(minor)], implementation };
  } catch {
    return { file: program };
  }
}

/** The interpreter of an environment, on Windows also of one that conda made. */
export async function pythonOf(environment: string): Promise<string | undefined> {
  const places = isWindows
    ? [path.join(scripts(environment), 'python.exe'), path.join(environment, 'python.exe')]
    : [path.join(scripts(environment), 'python')];
  for (const it of places) {
    if (await isProgram(it)) {
      return it;
    }
  }
  return undefined;
}

async function* candidates(): AsyncGenerator<Probed> {
  const seen = new Set<string>();
  const environments = [workspace.isTrusted ? await activeEnvironment() : undefined, ...activated()];
  for (const environment of environments) {
    const python = environment && (await pythonOf(environment));
    if (python && isAllowed(python)) {
      seen.add(python);
      yield probe(python);
    }
  }
  for (const python of await pythonsOnPath()) {
    if (!seen.has(python)) {
      yield probe(python);
    }
  }
  const launcher = isWindows ? await firstOnPath('py') : undefined;
  if (launcher) {
    yield probe(launcher, '-3');
  }
}

/** The environments that were active where VS Code was started. */
export function activated(): string[] {
  const found = [process.env['VIRTUAL_ENV'], process.env['CONDA_PREFIX']];
  return found.filter((it) => it !== undefined && path.isAbsolute(it)) as string[];
}

/** macOS without developer tools: this program only asks whether to install them. */
function isStub(python: string): boolean {
  return process.platform === 'darwin' && path.dirname(python) === '/usr/bin';
}
