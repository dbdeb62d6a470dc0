/**
 * The environment chosen in the Python extension, where that extension is installed.
 *
 * Not a dependency: builds of VS Code without Microsoft's gallery do not have it.
 */

import * as path from 'node:path';
import { extensions, workspace, type Disposable } from 'vscode';

/** The part of the Python extension's public API that this extension uses. */
interface PythonApi {
  environments: {
    getActiveEnvironmentPath(resource?: unknown): { path: string };
    resolveEnvironment(chosen: { path: string }): Promise<{ executable: { sysPrefix?: string } } | undefined>;
    onDidChangeActiveEnvironmentPath(listener: () => void): Disposable;
  };
}

export async function activeEnvironment(): Promise<string | undefined> {
  try {
    const api = await pythonApi();
    const chosen = api?.getActiveEnvironmentPath(workspace.workspaceFolders?.[0]?.uri);
    const prefix = chosen && (await api?.resolveEnvironment(chosen))?.executable.sysPrefix;
    return prefix && path.isAbsolute(prefix) ? prefix : undefined;
  } catch {
    // If the Python extension is broken, the other locations still count.
    return undefined;
  }
}

/** Calls `changed` whenever the user has selected another environment. */
export function watchActiveEnvironment(changed: () => void): Disposable {
  const watched = pythonApi().then(
    (api) => api?.onDidChangeActiveEnvironmentPath(changed),
    () => undefined,
  );
  return { dispose: () => void watched.then((it) => it?.dispose()) };
}

async function pythonApi(): Promise<PythonApi['environments'] | undefined> {
  return (await extensions.getExtension<PythonApi>('ms-python.python')?.activate())?.environments;
}
