/** Starting and stopping the language server: one process per window. */

import type { Disposable, LogOutputChannel } from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';

import { createClient } from './client';
import { locateServer } from './locate';
import type { ServerStatus } from './status';
import { explainFailedStart, explainNotFound } from './trouble';

export class Server implements Disposable {
  private client: LanguageClient | undefined;
  private wanted = false;
  /** Starts and stops follow one another: a restart in the middle of a start waits for it. */
  private queue: Promise<void> = Promise.resolve();

  constructor(
    private readonly log: LogOutputChannel,
    private readonly status: ServerStatus,
  ) {}

  start(): Promise<void> {
    this.wanted = true;
    return this.enqueue(async () => {
      await this.stopClient();
      await this.startClient();
    });
  }

  /** After a change of circumstances; nothing happens where no server was asked for. */
  async restart(): Promise<void> {
    if (this.wanted) {
      await this.start();
    }
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.stopClient());
  }

  dispose(): void {
    void this.stop();
  }

  private enqueue(work: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(work).catch((error: unknown) => this.log.error(String(error)));
    return this.queue;
  }

  private async startClient(): Promise<void> {
    this.status.starting();
    const found = await locateServer();
    if ('problem' in found) {
      this.log.error(found.problem);
      this.status.failed('server not found');
      void explainNotFound(found, () => void this.start());
      return;
    }
    this.log.info(`Starting ${[found.command, ...found.args].join(' ')}`);
    this.client = createClient(found, this.log, this.status);
    try {
      await this.client.start();
    } catch {
      // The client has logged why.
      void explainFailedStart(found.command);
    }
  }

  private async stopClient(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    // A client that failed to start refuses to stop, and a server that hangs runs into its time limit.
    await client?.dispose().catch((error: unknown) => this.log.debug(`Stopping: ${String(error)}`));
  }
}
