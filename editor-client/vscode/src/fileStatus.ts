/** The language status item of the file in the editor: its dialect and kind. */

import { commands, Disposable, languages, window, workspace, type TextDocument } from 'vscode';

import { isSelected, yamlSelector } from './documents';
import type { About } from './protocol';
import type { Server } from './server';

/** The recognised dialect and kind of the current file, with the reason. Hidden for other files. */
export function createFileStatus(server: Server): Disposable {
  const item = languages.createLanguageStatusItem('waza.file', []);
  item.name = 'waza-lsp: kind of file';
  let timer: NodeJS.Timeout | undefined;

  async function show(): Promise<void> {
    const document = window.activeTextEditor?.document;
    const about = document && (await ask(document));
    if (document !== window.activeTextEditor?.document) {
      return;
    }
    item.selector = about ? yamlSelector : [];
    item.text = about ? `${about.dialect}: ${about.kind}` : '';
    item.detail = about?.reason ?? '';
    await commands.executeCommand('setContext', 'waza.kind', about?.kind);
  }

  async function ask(document: TextDocument): Promise<About | undefined> {
    return isSelected(document) ? server.request('waza/document', { uri: document.uri.toString() }) : undefined;
  }

  /** Typing can change the result, but not with every key. */
  function soon(): void {
    clearTimeout(timer);
    timer = setTimeout(() => void show(), 300);
  }

  return Disposable.from(
    item,
    { dispose: () => clearTimeout(timer) },
    server.onReady(soon),
    server.onGone(soon),
    window.onDidChangeActiveTextEditor(soon),
    workspace.onDidChangeTextDocument(({ document }) => {
      if (document === window.activeTextEditor?.document) {
        soon();
      }
    }),
  );
}
