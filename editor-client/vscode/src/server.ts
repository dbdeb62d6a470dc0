/**
 * The language server for the rest of the extension: one process per window, which can start and
 * stop.
 */

import { CancellationTokenSource, EventEmitter, type Disposable, type LogOutputChannel } from 'vscode';
import { ExecuteCommandRequest, type LanguageClient } from 'vscode-languageclient/node';

import { createClient } from './client';
import type { NotFound, Places, ServerCommand } from './found';
import { locateServer, reinstallServer } from './locate';
import type { LiveVerdicts, RunEvent } from './protocol';
import type { ServerStatus } from './serverStatus';
import { explainFailedStart, explainNotFound, explainNotRunning } from './trouble';

const comingBackMs = 10_000;

export class Server implements Disposable {
  private client: LanguageClient | undefined;
  private wanted = false;
  private running: string | undefined;
  /** Starts and stops are sequential: a restart waits for a pending start. */
  private queue: Promise<void> = Promise.resolve();
  private readonly places: Places;
  /** Ends an installation with the window. */
  private readonly closing = new CancellationTokenSource();
  private readonly told = {
    ready: new EventEmitter<void>(),
    gone: new EventEmitter<void>(),
    runEvent: new EventEmitter<RunEvent>(),
    testsChanged: new EventEmitter<string | undefined>(),
    liveVerdicts: new EventEmitter<LiveVerdicts>(),
  };

  /** The server is ready, after its first and each further start. */
  readonly onReady = this.told.ready.event;
  /** The server has ended or was killed. */
  readonly onGone = this.told.gone.event;
  readonly onRunEvent = this.told.runEvent.event;
  /** The test tree has changed, for the suite of this file or as a whole. */
  readonly onTestsChanged = this.told.testsChanged.event;
  /** Graders were graded again after an edit, without a run. */
  readonly onLiveVerdicts = this.told.liveVerdicts.event;

  constructor(
    private readonly log: LogOutputChannel,
    private readonly status: ServerStatus,
    folders: Pick<Places, 'bundle' | 'storage'>,
  ) {
    this.places = { ...folders, log, closing: this.closing.token };
  }

  start(): Promise<void> {
    this.wanted = true;
    return this.enqueue(async () => {
      await this.stopClient();
      await this.startClient(() => locateServer(this.places));
    });
  }

  /** Restarts if the search now ends with another server. Does nothing if no server was requested. */
  async relocate(): Promise<void> {
    if (this.wanted) {
      await this.enqueue(async () => {
        const found = await this.located(() => locateServer(this.places));
        if ('problem' in found || found.command !== this.running) {
          await this.stopClient();
          await this.startClient(async () => found);
        }
      });
    }
  }

  /** Makes the environment of the extension's own server anew, and starts it. */
  reinstall(): Promise<void> {
    this.wanted = true;
    return this.enqueue(async () => {
      await this.stopClient();
      await this.startClient(() => reinstallServer(this.places));
    });
  }

  /** Restarts after a change of settings or environment. Does nothing if no server was requested. */
  async restart(): Promise<void> {
    if (this.wanted) {
      await this.start();
    }
  }

  stop(): Promise<void> {
    this.closing.cancel();
    return this.enqueue(() => this.stopClient());
  }

  /** The response, or undefined if no server runs or it gives none. */
  async request<Answer>(method: string, params: object): Promise<Answer | undefined> {
    const { client } = this;
    if (!client?.isRunning()) {
      return undefined;
    }
    try {
      return (await client.sendRequest<Answer | null>(method, params)) ?? undefined;
    } catch (error) {
      this.log.warn(`${method}: ${String(error)}`);
      return undefined;
    }
  }

  /** Runs a command without showing its result. The caller shows it in another way. */
  async execute(command: string, argument: object): Promise<unknown> {
    if (!(await this.isReady())) {
      void explainNotRunning();
      return undefined;
    }
    return this.request(ExecuteCommandRequest.method, { command, arguments: [argument] });
  }

  /** After a crash, the server restarts by itself, which takes a moment. */
  private async isReady(): Promise<boolean> {
    if (this.client?.isRunning()) {
      return true;
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle(false), comingBackMs);
      const ready = this.onReady(() => settle(true));
      const settle = (result: boolean): void => {
        clearTimeout(timer);
        ready.dispose();
        resolve(result);
      };
    });
  }

  dispose(): void {
    void this.stop();
    Object.values(this.told).forEach((it) => it.dispose());
  }

  private enqueue(work: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(work).catch((error: unknown) => this.log.error(String(error)));
    return this.queue;
  }

  private async startClient(locate: () => Promise<ServerCommand | NotFound>): Promise<void> {
    this.status.starting();
    const found = await this.located(locate);
    this.running = 'problem' in found ? undefined : found.command;
    if ('problem' in found) {
      this.log.error(found.problem);
      this.status.failed(found.cancelled ? 'not installed' : 'server not found');
      void explainNotFound(found);
      return;
    }
    this.status.found(found.origin);
    this.log.info(`Starting ${[found.command, ...found.args].join(' ')}`);
    this.client = createClient(found, this.log, this.status, this.told);
    try {
      await this.client.start();
    } catch {
      // The client has logged why.
      void explainFailedStart(found.command, found.isOurs);
    }
  }

  private async located(locate: () => Promise<ServerCommand | NotFound>): Promise<ServerCommand | NotFound> {
    try {
      return await locate();
    } catch (error) {
      return { problem: String(error) };
    }
  }

  private async stopClient(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    // A client that failed to start refuses to stop, and a hanging server runs into its timeout.
    await client?.dispose().catch((error: unknown) => this.log.debug(`Stopping: ${String(error)}`));
  }
}
