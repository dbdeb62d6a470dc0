/** Creates a first eval with one task from the snippets. It runs without a model. */

import { Uri, window, workspace } from 'vscode';

import { readSnippets, type Snippet } from './snippets';

export async function newEval(extension: Uri): Promise<void> {
  const [folder] = workspace.workspaceFolders ?? [];
  if (!folder) {
    void window.showInformationMessage('Open a folder first. An eval consists of a few files in it.');
    return;
  }
  const name = await window.showInputBox({
    title: 'New Eval',
    prompt: 'What is tested: the name of a skill, for example',
    validateInput: (it) => (/^[\w.-]+$/.test(it) ? undefined : 'Letters, digits, dots, dashes, underscores'),
  });
  if (!name) {
    return;
  }
  const snippets = await readSnippets(extension);
  const target = Uri.joinPath(folder.uri, 'evals', name);
  await create(Uri.joinPath(target, 'tasks', 'first-task.yaml'), filled(snippets.task, name));
  const file = Uri.joinPath(target, 'eval.yaml');
  await create(file, filled(snippets.eval, name));
  await window.showTextDocument(file);
}

/** The text of a snippet with its default values and the given name. */
function filled({ body }: Snippet, name: string): string {
  const text = body
    .join('\n')
    .replaceAll(
      /\$\{\d+(?::([^}]*)|\|([^,|]*)[^}]*)\}/g,
      (_, only?: string, first?: string) => only ?? first ?? '',
    )
    .replaceAll('my-skill', name);
  return `${text}\n`;
}

/** Keeps existing files. */
async function create(file: Uri, text: string): Promise<void> {
  const exists = await workspace.fs.stat(file).then(
    () => true,
    () => false,
  );
  if (!exists) {
    await workspace.fs.writeFile(file, new TextEncoder().encode(text));
  }
}
