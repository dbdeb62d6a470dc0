/** The server that the extension brings: its environment is made on first use, with a notification. */

import { CancellationError, CancellationTokenSource, ProgressLocation, window } from 'vscode';

import { readBundle, type Bundle } from './bundle';
import { choosePython, describe, needed, whyNone } from './choosePython';
import { InstallError, makeEnvironment, readyEnvironment, tidy } from './environment';
import type { NotFound, Places, ServerCommand } from './found';
import { asModule } from './programs';
import { findPythons, findUv, probe } from './pythons';

/** The server if its environment is made already, with the Python that the user has chosen if there is one. */
export async function installedServer(
  { bundle, storage }: Places,
  interpreter?: string,
): Promise<ServerCommand | undefined> {
  const contents = await readBundle(bundle, interpreter);
  const python = await readyEnvironment(storage, contents);
  if (python) {
    void tidy(storage, contents).catch(() => {});
  }
  return python ? ours(python) : undefined;
}

/**
 * Make the environment and return its server.
 *
 * `interpreter`: the Python that the user has chosen. `again`: even if the environment is there.
 */
export async function installServer(
  places: Places,
  interpreter?: string,
  again = false,
): Promise<ServerCommand | NotFound> {
  const pythons = interpreter ? [await probe(interpreter)] : await findPythons();
  const python = choosePython(pythons)?.file;
  const uv = await findUv();
  if (interpreter && !python) {
    const [what] = pythons.map(describe);
    return { problem: `waza-lsp needs ${needed}. You chose ${what}.`, setting: 'waza.server.interpreter' };
  }
  if (!python && !uv) {
    return { problem: whyNone(pythons), needsPython: true };
  }
  try {
    const contents = await readBundle(places.bundle, interpreter);
    return ours(await withNotification(places, contents, { uv, python }, again));
  } catch (error) {
    places.log.error(String(error));
    if (error instanceof CancellationError) {
      return { problem: 'The waza-lsp server is not installed: cancelled.', cancelled: true };
    }
    const problem = error instanceof InstallError ? error.message : `The installation failed: ${String(error)}`;
    return python ? { problem } : { problem, needsPython: true };
  }
}

async function withNotification(
  { storage, log, closing }: Places,
  contents: Bundle,
  tools: { uv: string | undefined; python: string | undefined },
  again: boolean,
): Promise<string> {
  const options = { location: ProgressLocation.Notification, title: 'Installing the waza-lsp server', cancellable: true };
  return window.withProgress(options, async (progress, cancelled) => {
    const either = new CancellationTokenSource();
    const listeners = [cancelled, closing].map((it) => it.onCancellationRequested(() => either.cancel()));
    const report = (message: string, increment: number): void => progress.report({ message, increment });
    try {
      return await makeEnvironment(storage, contents, tools, again, { log, cancellation: either.token, report });
    } finally {
      listeners.forEach((it) => it.dispose());
    }
  });
}

function ours(python: string): ServerCommand {
  return { command: python, args: asModule, origin: 'comes with the extension', isOurs: true };
}
