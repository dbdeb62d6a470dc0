/** Creates a first eval with one task, in the dialect that the user chooses. It runs without a model. */

import { Uri, window, workspace } from 'vscode';

import { exists } from './files';
import { offer } from './offer';
import type { Server } from './server';

/** What the server answers to `waza/starters`: the files of a new eval in one dialect, the eval first. */
interface Starter {
  dialect: string;
  description: string;
  files: { path: string; text: string }[];
}

export async function newEval(server: Server): Promise<void> {
  const [folder] = workspace.workspaceFolders ?? [];
  if (!folder) {
    offer('Open a folder first: an eval consists of a few files.', 'Open Folder...', 'workbench.action.files.openFolder');
    return;
  }
  const name = await window.showInputBox({
    title: 'New Eval',
    prompt: 'What is tested: the name of a skill, for example',
    validateInput: (it) =>
      /^[A-Za-z][\w.-]*$/.test(it) ? undefined : 'Letters, digits, dots, dashes, underscores; a letter first',
  });
  if (!name) {
    return;
  }
  const starters = await startersOf(server, name);
  if (!starters) {
    return; // The server has not started, and a message says why.
  }
  if (starters.length === 0) {
    void window.showInformationMessage(`'${name}' means something else in YAML. Choose another name.`);
    return;
  }
  const items = starters.map((it) => ({ label: it.dialect, detail: it.description, it }));
  const chosen = items.length > 1 ? await window.showQuickPick(items, { title: 'New Eval: for which runner?' }) : items[0];
  if (chosen) {
    await create(Uri.joinPath(folder.uri, 'evals', name), chosen.it);
  }
}

/** An empty workspace needs no server until now. */
async function startersOf(server: Server, name: string): Promise<Starter[] | undefined> {
  const found = await server.request<Starter[]>('waza/starters', { name });
  if (found) {
    return found;
  }
  await server.start();
  return server.request('waza/starters', { name });
}

async function create(target: Uri, { files }: Starter): Promise<void> {
  for (const { path, text } of files) {
    await createFile(Uri.joinPath(target, path), text);
  }
  await window.showTextDocument(Uri.joinPath(target, files[0]?.path ?? ''));
}

/** Keeps existing files. */
async function createFile(file: Uri, text: string): Promise<void> {
  if (!(await exists(file))) {
    await workspace.fs.writeFile(file, new TextEncoder().encode(text));
  }
}
