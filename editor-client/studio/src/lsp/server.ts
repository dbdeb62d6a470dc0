/** The page's side of the language server: connects, connects again, and answers what the server asks. */

import { LSPClient, type Workspace } from '@codemirror/lsp-client';
import type { WorkspaceEdit } from 'vscode-languageserver-types';

import { Observable } from '../observable.ts';
import { ask, connected, questions, runsChanged, tell, works } from '../studio.ts';
import { Connection, type Handlers } from './connection.ts';
import type { Published } from './findings.ts';

const SECONDS_FOR_AN_ANSWER = 20;
/** Codes of a closed socket: of the studio's server, and for one that was never opened. */
const TRUST_CHANGED = 4403;
const TOO_MANY_TABS = 1013;
const REFUSED = 0;
const LONGEST_PAUSE_MS = 15_000;

/** Counts what asks for lenses and hints to be requested again. */
export const lensesStale = new Observable(0);
export const hintsStale = new Observable(0);

export interface Hooks {
  readonly published: (params: Published) => void;
  readonly applyEdit: (edit: WorkspaceEdit) => Promise<{ applied: boolean; failureReason?: string }>;
  readonly manageTrust: () => void;
  /** Look whether the studio's server still knows this page, and what it trusts. */
  readonly checkSession: () => void;
}

const SEVERITIES = ['info', 'error', 'warning', 'info', 'info'] as const;

export class LanguageServer {
  readonly client: LSPClient;
  private connection: Connection | null = null;
  private pause = 500;
  private isRestarting = false;

  constructor(
    root: string,
    workspace: (client: LSPClient) => Workspace,
    sanitizeHTML: (html: string) => string,
    extensions: any[],
    private readonly hooks: Hooks,
  ) {
    this.client = new LSPClient({
      rootUri: root,
      workspace,
      sanitizeHTML,
      extensions,
      timeout: SECONDS_FOR_AN_ANSWER * 1000,
      initializationOptions: { runEvents: true, editorActions: true },
    });
  }

  async connect(): Promise<void> {
    const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
    try {
      this.connection = await Connection.open(`${scheme}//${location.host}/lsp`, this.handlers(), (code) => this.ended(code));
    } catch {
      this.ended(REFUSED);
      return;
    }
    this.client.connect(this.connection);
    try {
      await this.client.initializing;
    } catch {
      this.connection.close();
      return;
    }
    this.pause = 500;
    // The setting is off by default because editors may have another formatter. The page has none.
    this.notify('workspace/didChangeConfiguration', { settings: { waza: { format: { enable: true } } } });
    connected.value = 'connected';
    lensesStale.value++;
    hintsStale.value++;
  }

  /** Start the language server anew, such as with the trust that the user has given. */
  restart(): void {
    if (this.connection !== null) {
      this.isRestarting = true;
      this.connection.close();
    }
  }

  private ended(code: number): void {
    const isWanted = this.isRestarting || code === TRUST_CHANGED;
    const again = isWanted ? 0 : this.pause;
    connected.value = isWanted ? 'connecting' : 'lost';
    this.isRestarting = false;
    if (code === TOO_MANY_TABS) {
      tell('Too many tabs of the studio are open. Close some of them.', 'warning');
    }
    if (code === TRUST_CHANGED || code === REFUSED) {
      this.hooks.checkSession();
    }
    this.connection = null;
    works.value = [];
    // Nobody waits for these answers any more.
    questions.value.filter((it) => it.answers.length > 0 && it.isServers).forEach((it) => it.answer(null));
    this.client.disconnect();
    this.client.initializing.catch(() => undefined);
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE_MS);
    setTimeout(() => void this.connect(), again);
  }

  request<T>(method: string, params: unknown): Promise<T> {
    this.client.sync();
    return this.client.request<unknown, T>(method, params);
  }

  notify(method: string, params: unknown): void {
    this.client.notification(method, params);
  }

  /** Run a command of the server, which may take minutes. */
  async execute(command: string, parameters: readonly unknown[]): Promise<unknown> {
    this.client.sync();
    await this.client.initializing;
    if (this.connection === null) {
      throw new Error('The language server is not connected.');
    }
    return this.connection.request('workspace/executeCommand', { command, arguments: parameters });
  }

  cancel(token: string | number): void {
    this.notify('window/workDoneProgress/cancel', { token });
  }

  private handlers(): Handlers {
    const done = () => null;
    return {
      requests: {
        'window/workDoneProgress/create': done,
        'client/registerCapability': done,
        'client/unregisterCapability': done,
        'workspace/configuration': ({ items }) => items.map(() => null),
        'workspace/workspaceFolders': done,
        'workspace/codeLens/refresh': () => void lensesStale.value++,
        'workspace/inlayHint/refresh': () => void hintsStale.value++,
        'workspace/applyEdit': ({ edit }) => this.hooks.applyEdit(edit),
        'window/showDocument': () => ({ success: false }),
        'window/showMessageRequest': async ({ type, message, actions }) => {
          const items: { title: string }[] = actions ?? [];
          const chosen = await ask(message, items.map((it) => it.title), SEVERITIES[type] ?? 'info', true);
          return items.find((it) => it.title === chosen) ?? null;
        },
      },
      notifications: {
        'textDocument/publishDiagnostics': this.hooks.published,
        'window/showMessage': ({ type, message }) => tell(message, SEVERITIES[type] ?? 'info'),
        '$/progress': ({ token, value }) => followProgress(token, value),
        'waza/runEvent': ({ event }) => {
          if (event === 'run_finished') {
            runsChanged.value++;
          }
        },
        'waza/editorAction': ({ action, command, name, value }) => {
          if (action === 'manageTrust') {
            this.hooks.manageTrust();
          } else if (action === 'openTerminal') {
            tell(`Run this in a terminal: ${command}`);
          } else if (action === 'openSetting' || action === 'saveSetting') {
            tell(`The setting ${name}${value === undefined ? '' : ` = ${value}`} belongs into the settings of an editor.`);
          }
        },
      },
    };
  }
}

interface Progress {
  readonly kind: 'begin' | 'report' | 'end';
  readonly title?: string;
  readonly message?: string;
  readonly percentage?: number;
  readonly cancellable?: boolean;
}

function followProgress(token: string | number, value: Progress): void {
  const others = works.value.filter((it) => it.token !== token);
  const known = works.value.find((it) => it.token === token);
  if (value.kind === 'end') {
    works.value = others;
  } else if (value.kind === 'begin' || known !== undefined) {
    const next = {
      token,
      title: value.title ?? known?.title ?? '',
      message: value.message ?? known?.message ?? '',
      percentage: value.percentage ?? known?.percentage ?? null,
      canCancel: value.cancellable ?? known?.canCancel ?? false,
    };
    works.value = known === undefined ? [...others, next] : works.value.map((it) => (it.token === token ? next : it));
  }
}
