/** The language status item of the server: starting, running, stopped or failed. */

import { commands, languages, LanguageStatusSeverity, type Disposable } from 'vscode';

import { documentSelector } from './documents';

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
