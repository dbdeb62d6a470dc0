/** The server's state, in the language status menu of the documents it is responsible for. */

import { languages, LanguageStatusSeverity, type Disposable } from 'vscode';

import { documentSelector } from './documents';

export interface ServerStatus extends Disposable {
  starting(): void;
  running(version: string): void;
  stopped(): void;
  failed(why: string): void;
}

export function createStatus(): ServerStatus {
  const item = languages.createLanguageStatusItem('waza.server', documentSelector);
  item.name = 'waza-lsp';
  item.command = { command: 'waza.showLogs', title: 'Show Logs' };
  const show = (text: string, severity = LanguageStatusSeverity.Information, busy = false): void => {
    item.text = `waza-lsp: ${text}`;
    item.severity = severity;
    item.busy = busy;
  };
  show('not started');
  return {
    starting: () => show('starting', LanguageStatusSeverity.Information, true),
    running: (version) => show(`running ${version}`.trim()),
    stopped: () => show('stopped', LanguageStatusSeverity.Warning),
    failed: (why) => show(why, LanguageStatusSeverity.Error),
    dispose: () => item.dispose(),
  };
}
