/**
 * The environment chosen in the Python extension, where that extension is installed.
 *
 * Not a dependency: builds of VS Code without Microsoft's gallery do not have it.
 */

import * as path from 'node:path';
import { extensions, workspace } from 'vscode';

/** The part of the Python extension's public API that this extension uses. */
interface PythonApi {
  environments: {
    getActiveEnvironmentPath(resource?: unknown): { path: string };
    resolveEnvironment(chosen: { path: string }): Promise<{ executable: { sysPrefix?: string } } | undefined>;
  };
}

export async function activeEnvironment(): Promise<string | undefined> {
  const python = extensions.getExtension<PythonApi>('ms-python.python');
  if (!python) {
    return undefined;
  }
  try {
    const { environments } = await python.activate();
    const chosen = environments.getActiveEnvironmentPath(workspace.workspaceFolders?.[0]?.uri);
    const prefix = (await environments.resolveEnvironment(chosen))?.executable.sysPrefix;
    return prefix && path.isAbsolute(prefix) ? prefix : undefined;
  } catch {
    // If the Python extension is broken, the other locations still count.
    return undefined;
  }
}
