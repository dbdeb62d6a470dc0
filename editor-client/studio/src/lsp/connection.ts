/**
 * The WebSocket to the language server, as a transport of @codemirror/lsp-client.
 *
 * The client answers no request of the server, ends each of its own after some seconds, and announces pulled findings.
 * So requests of the server, commands that take minutes and the capabilities are handled here.
 */

import type { Transport } from '@codemirror/lsp-client';

import { CAPABILITIES } from './capabilities.ts';

export type Handler = (params: any) => unknown;

export interface Handlers {
  readonly requests: Readonly<Record<string, Handler>>;
  readonly notifications: Readonly<Record<string, Handler>>;
}

interface Waiting {
  readonly resolve: (result: any) => void;
  readonly reject: (error: Error) => void;
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

export class Connection implements Transport {
  private readonly readers = new Set<(message: string) => void>();
  private readonly waiting = new Map<string, Waiting>();
  private count = 0;

  private constructor(
    private readonly socket: WebSocket,
    private readonly handlers: Handlers,
    ended: (code: number) => void,
  ) {
    socket.onmessage = (event) => void this.receive(String(event.data));
    socket.onclose = (event) => {
      for (const it of this.waiting.values()) {
        it.reject(new Error('The connection to the language server has ended.'));
      }
      this.waiting.clear();
      ended(event.code);
    };
  }

  static open(address: string, handlers: Handlers, ended: (code: number) => void): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(address);
      socket.onclose = () => reject(new Error('The language server cannot be reached.'));
      socket.onopen = () => resolve(new Connection(socket, handlers, ended));
    });
  }

  close(): void {
    this.socket.close(1000);
  }

  send(message: string): void {
    if (this.socket.readyState !== WebSocket.OPEN) {
      return; // The page connects again, and sends everything anew.
    }
    const parsed = JSON.parse(message) as Message;
    if (parsed.method === 'initialize') {
      const params = { ...(parsed.params as object), capabilities: CAPABILITIES, clientInfo: { name: 'waza-lsp studio' } };
      this.socket.send(JSON.stringify({ ...parsed, params }));
    } else {
      this.socket.send(message);
    }
  }

  subscribe(reader: (message: string) => void): void {
    this.readers.add(reader);
  }

  unsubscribe(reader: (message: string) => void): void {
    this.readers.delete(reader);
  }

  /** Send a request that may take as long as it wants. */
  request<T>(method: string, params: unknown): Promise<T> {
    const id = `studio-${++this.count}`;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }

  notify(method: string, params: unknown): void {
    this.send(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  private async receive(text: string): Promise<void> {
    const message = JSON.parse(text) as Message;
    const { id, method } = message;
    if (method !== undefined && id !== undefined) {
      await this.answer(id, method, message.params);
    } else if (method !== undefined && Object.hasOwn(this.handlers.notifications, method)) {
      this.handlers.notifications[method]?.(message.params);
    } else if (typeof id === 'string') {
      const waiting = this.waiting.get(id);
      this.waiting.delete(id);
      if (message.error === undefined) {
        waiting?.resolve(message.result);
      } else {
        waiting?.reject(new Error(message.error.message));
      }
    } else if (method === undefined) {
      for (const reader of this.readers) {
        reader(text);
      }
    }
  }

  private async answer(id: number | string, method: string, params: unknown): Promise<void> {
    const handler = Object.hasOwn(this.handlers.requests, method) ? this.handlers.requests[method] : undefined;
    let answer: object = { error: { code: -32601, message: `The studio does not know ${method}.` } };
    if (handler !== undefined) {
      try {
        answer = { result: (await handler(params)) ?? null };
      } catch (error) {
        answer = { error: { code: -32603, message: String(error) } };
      }
    }
    this.send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  }
}
