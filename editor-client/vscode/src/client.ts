/** The language client: its options, and the display of the server's responses. */

import * as readline from 'node:readline';
import type { Readable } from 'node:stream';
import { workspace, type EventEmitter, type LogOutputChannel } from 'vscode';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
  State,
  WorkDoneProgressCancelNotification,
} from 'vscode-languageclient/node';

import { showAnswer } from './answers';
import { withArguments } from './commands';
import { documentSelector } from './documents';
import { perform, type EditorAction } from './editorActions';
import type { ServerCommand } from './found';
import { progressNotifications } from './progress';
import type { LiveVerdicts, RunEvent } from './protocol';
import type { Ask } from './recordedRuns';
import { auditChanged } from './report';
import { saveBeforeRun } from './saveBeforeRun';
import type { ServerStatus } from './serverStatus';
import { givenByYamlExtension } from './yamlExtension';

/** Events of the client for the rest of the extension. */
export interface Told {
  ready: EventEmitter<void>;
  gone: EventEmitter<void>;
  runEvent: EventEmitter<RunEvent>;
  testsChanged: EventEmitter<string | undefined>;
  liveVerdicts: EventEmitter<LiveVerdicts>;
}

/** A client that leaves the report of a failed start to its owner. Its own up to three messages are cryptic. */
class Client extends LanguageClient {
  hasRun = false;

  override error(message: string, data?: unknown, showNotification: boolean | 'force' = true): void {
    super.error(message, data, this.hasRun && showNotification);
  }
}

export function createClient(
  server: ServerCommand,
  log: LogOutputChannel,
  status: ServerStatus,
  told: Told,
): LanguageClient {
  const progress = progressNotifications(
    (token) => void client.sendNotification(WorkDoneProgressCancelNotification.type, { token }),
  );
  const ask: Ask = async <Answer>(method: string, params: object) =>
    (await client.sendRequest<Answer | null>(method, params)) ?? undefined;
  // The id is the settings section in which the client looks for `trace.server`.
  const client: Client = new Client('waza', 'waza-lsp', server, {
    documentSelector,
    outputChannel: log,
    initializationOptions: () => ({
      runEvents: true,
      editorActions: true,
      trusted: workspace.isTrusted,
      beside: givenByYamlExtension(),
    }),
    synchronize: { configurationSection: 'waza' },
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    stdioOptions: {
      stdout: () => {},
      stderr: (stream) => logLines(stream, log),
    },
    middleware: {
      handleWorkDoneProgress: progress.handle,
      executeCommand: async (command, args, next) => {
        const complete = await withArguments(command, args, ask);
        if (!complete) {
          return undefined;
        }
        await saveBeforeRun(command);
        const result: unknown = await next(command, complete);
        // Not awaited: the command is done, but the message can stay for long.
        const shown = showAnswer(command, complete[0], result, log);
        shown.catch((error: unknown) => log.error(`${command}: ${String(error)}`));
        return result;
      },
    },
    initializationFailedHandler: () => false,
    errorHandler: {
      // Do not retry: a server that dies before its first response would die again.
      error: (error, message, count) =>
        client.hasRun ? crashes.error(error, message, count) : { action: ErrorAction.Shutdown },
      closed: () => (client.hasRun ? crashes.closed() : { action: CloseAction.DoNotRestart }),
    },
  });
  const crashes = client.createDefaultErrorHandler();
  client.onNotification('waza/runEvent', (event: RunEvent) => told.runEvent.fire(event));
  client.onNotification('waza/editorAction', (request: EditorAction) => perform(request));
  client.onNotification('waza/auditChanged', ({ uri }: { uri: string }) => auditChanged(uri, ask));
  client.onNotification('waza/liveVerdicts', (found: LiveVerdicts) => told.liveVerdicts.fire(found));
  client.onNotification('waza/testsChanged', ({ uri }: { uri?: string }) => told.testsChanged.fire(uri));
  client.onDidChangeState(({ newState }) => {
    switch (newState) {
      case State.Running:
        client.hasRun = true;
        status.running(client.initializeResult?.serverInfo?.version ?? '');
        told.ready.fire();
        break;
      case State.Starting:
        status.starting();
        break;
      case State.StartFailed:
        progress.dispose();
        status.failed('could not start');
        break;
      case State.Stopped:
        progress.dispose();
        status.stopped();
        told.gone.fire();
        break;
    }
  });
  return client;
}

/** By default, the client logs every line of stderr as an error. Most are Python warnings. */
function logLines(stream: Readable, log: LogOutputChannel): void {
  readline.createInterface({ input: stream }).on('line', (line) => log.warn(line));
}
