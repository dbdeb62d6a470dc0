/** Starting and stopping the language server, one process per window. */

import * as readline from 'node:readline';
import type { Readable } from 'node:stream';
import { workspace, type Disposable, type LogOutputChannel } from 'vscode';
import {
  CloseAction,
  LanguageClient,
  RevealOutputChannelOn,
  State,
  WorkDoneProgressCancelNotification,
  type ErrorHandler,
} from 'vscode-languageclient/node';

import { documentSelector } from './documents';
import { locateServer } from './locate';
import { explainMissing } from './missing';
import { progressNotifications } from './progress';
import type { ServerStatus } from './status';
import { showVerdict } from './verdict';

export class Server implements Disposable {
  private client: LanguageClient | undefined;
  /** Starts and stops follow one another: a restart in the middle of a start must wait for it. */
  private queue: Promise<void> = Promise.resolve();

  constructor(
    private readonly log: LogOutputChannel,
    private readonly status: ServerStatus,
  ) {}

  restart(): Promise<void> {
    this.queue = this.queue.then(() => this.stopNow()).then(() => this.startNow());
    return this.queue;
  }

  stop(): Promise<void> {
    this.queue = this.queue.then(() => this.stopNow());
    return this.queue;
  }

  dispose(): void {
    void this.stop();
  }

  private async startNow(): Promise<void> {
    this.status.starting();
    const found = await locateServer();
    if ('problem' in found) {
      this.log.error(found.problem);
      this.status.failed('not found');
      void explainMissing(found, () => void this.restart());
      return;
    }
    this.log.info(`Starting ${[found.command, ...found.args].join(' ')}`);
    const client = createClient(found, this.log, this.status);
    this.client = client;
    // The client itself shows and logs why a start failed.
    await client.start().catch(() => this.status.failed('could not start'));
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    // A client that failed to start refuses to stop, and a hung server runs into the time limit.
    await client?.dispose().catch((error: unknown) => this.log.debug(`Stopping: ${String(error)}`));
  }
}
