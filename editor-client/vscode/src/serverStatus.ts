/** The language status item of the server: starting, running, stopped or failed. */

import { commands, languages, LanguageStatusSeverity, type Disposable } from 'vscode';

import { yamlSelector } from './documents';

export interface ServerStatus extends Disposable {
  starting(): void;
  /** `origin`: where the server is from. */
  found(origin: string): void;
  running(version: string): void;
  stopped(): void;
  failed(why: string): void;
}

/** `brought`: the version of the server that comes with the extension. */
export function createServerStatus(brought: string): ServerStatus {
  const item = languages.createLanguageStatusItem('waza.server', yamlSelector);
  item.name = 'waza-lsp';
  const logs = { command: 'waza.showLogs', title: 'Show Logs' };
  const retry = { command: 'waza.restartServer', title: 'Retry' };
  const show = (text: string, severity = LanguageStatusSeverity.Information, busy = false): void => {
    item.text = `waza-lsp: ${text}`;
    item.severity = severity;
    item.busy = busy;
    item.command = severity === LanguageStatusSeverity.Information ? logs : retry;
  };
  const isRunning = (running: boolean): void => {
    void commands.executeCommand('setContext', 'waza.isRunning', running);
  };
  let origin = '';
  show('not started');
  return {
    starting: () => show('starting', LanguageStatusSeverity.Information, true),
    found: (place) => {
      origin = place;
      item.detail = place;
    },
    running: (version) => {
      show(`running ${version}`.trim());
      // After a crash, it runs again without another search.
      item.detail = version === brought ? origin : `${origin}; the extension brings ${brought}`;
      isRunning(true);
    },
    stopped: () => {
      show('stopped', LanguageStatusSeverity.Warning);
      isRunning(false);
    },
    failed: (why) => {
      item.detail = '';
      show(why, LanguageStatusSeverity.Error);
      isRunning(false);
    },
    dispose: () => item.dispose(),
  };
}
