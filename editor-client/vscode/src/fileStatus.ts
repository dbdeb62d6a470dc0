/** What the language status menu says: how the server is, and what the file in the editor was taken for. */

import {
  commands,
  Disposable,
  languages,
  LanguageStatusSeverity,
  window,
  workspace,
  type TextDocument,
} from 'vscode';

import { documentSelector, isSelected } from './documents';
import type { About } from './protocol';
import type { Server } from './server';

export interface ServerStatus extends Disposable {
  starting(): void;
  running(version: string): void;
  stopped(): void;
  failed(why: string): void;
}

export function createServerStatus(): ServerStatus {
  const item = languages.createLanguageStatusItem('waza.server', documentSelector);
  item.name = 'waza-lsp';
  item.command = { command: 'waza.showLogs', title: 'Show Logs' };
  const show = (text: string, severity = LanguageStatusSeverity.Information, busy = false): void => {
    item.text = `waza-lsp: ${text}`;
    item.severity = severity;
    item.busy = busy;
  };
  const isRunning = (running: boolean): void => {
    void commands.executeCommand('setContext', 'waza.isRunning', running);
  };
  show('not started');
  return {
    starting: () => show('starting', LanguageStatusSeverity.Information, true),
    running: (version) => {
      show(`running ${version}`.trim());
      isRunning(true);
    },
    stopped: () => {
      show('stopped', LanguageStatusSeverity.Warning);
      isRunning(false);
    },
    failed: (why) => {
      show(why, LanguageStatusSeverity.Error);
      isRunning(false);
    },
    dispose: () => item.dispose(),
  };
}

/** What the file in the editor was recognised as, and why; nothing for files that are no evals. */
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
    item.selector = about ? documentSelector : [];
    item.text = about ? `${about.dialect}: ${about.kind}` : '';
    item.detail = about?.reason ?? '';
    await commands.executeCommand('setContext', 'waza.kind', about?.kind);
  }

  async function ask(document: TextDocument): Promise<About | undefined> {
    return isSelected(document) ? server.request('waza/document', { uri: document.uri.toString() }) : undefined;
  }

  /** Typing can change the answer, but not with every key. */
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
