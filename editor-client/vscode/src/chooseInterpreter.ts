/** The user's choice of a Python: `waza.server.interpreter`, from a list or a file dialog. */

import { ConfigurationTarget, window, workspace } from 'vscode';

import { describe, isSuitable, needed } from './choosePython';
import { allPythons } from './pythons';

const browse = 'Browse...';
const automatic = 'Choose automatically';

/** Returns whether the user has chosen what is set already. Any other choice restarts the server as a new setting. */
export async function chooseInterpreter(): Promise<boolean> {
  const pythons = allPythons().then((found) => found.filter(isSuitable).map((it) => ({ label: describe(it), file: it.file })));
  const others = [{ label: browse }, { label: automatic }];
  const title = `The Python for the waza-lsp server (${needed})`;
  const items: Promise<{ label: string; file?: string }[]> = pythons.then((found) => [...found, ...others]);
  const chosen = await window.showQuickPick(items, { title });
  if (!chosen) {
    return false;
  }
  const file = chosen.label === browse ? await browsed(title) : (chosen.file ?? '');
  if (file === undefined) {
    return false;
  }
  return save(file);
}

async function browsed(title: string): Promise<string | undefined> {
  const [file] = (await window.showOpenDialog({ title, openLabel: 'Choose' })) ?? [];
  return file?.fsPath;
}

/** Save the choice where the value is now, so that it takes effect. Returns whether it was the value before. */
async function save(file: string): Promise<boolean> {
  const settings = workspace.getConfiguration('waza.server');
  if (settings.get('interpreter', '') === file) {
    return true;
  }
  const isOfWorkspace = settings.inspect('interpreter')?.workspaceValue !== undefined;
  const target = isOfWorkspace ? ConfigurationTarget.Workspace : ConfigurationTarget.Global;
  await settings.update('interpreter', file || undefined, target);
  return false;
}
