/**
 * Shows a notification with a Cancel button for cancellable work.
 *
 * By default, the client shows such work only in the status bar, and its Cancel button is in
 * the notification centre, which nobody opens.
 */

import { ProgressLocation, window, type Disposable, type Progress } from 'vscode';
import type { Middleware, ProgressToken, WorkDoneProgressBegin } from 'vscode-languageclient/node';

type HandleWorkDoneProgress = NonNullable<Middleware['handleWorkDoneProgress']>;

export interface ProgressNotifications extends Disposable {
  handle: HandleWorkDoneProgress;
}

interface Notification {
  report(message: string | undefined, percentage: number | undefined): void;
  close(): void;
}

/** `dispose` closes open notifications, because a dead server does not send the end of its work. */
export function progressNotifications(cancel: (token: ProgressToken) => void): ProgressNotifications {
  const open = new Map<ProgressToken, Notification>();
  const handle: HandleWorkDoneProgress = (token, params, next) => {
    switch (params.kind) {
      case 'begin':
        if (params.cancellable) {
          open.set(token, notification(params, () => cancel(token)));
          return;
        }
        break;
      case 'report':
        open.get(token)?.report(params.message, params.percentage);
        break;
      case 'end':
        open.get(token)?.close();
        open.delete(token);
        break;
    }
    // Reports and the end also go to the client. It ignores unknown work and releases the token
    // at the end.
    next(token, params);
  };
  const dispose = (): void => {
    open.forEach((it) => it.close());
    open.clear();
  };
  return { handle, dispose };
}

function notification(begin: WorkDoneProgressBegin, cancel: () => void): Notification {
  let shown: Progress<{ message?: string; increment?: number }> | undefined;
  let reached = 0;
  let close = (): void => {};
  const closed = new Promise<void>((resolve) => (close = resolve));
  const report: Notification['report'] = (message, percentage) => {
    const increment = Math.max(0, Math.min(percentage ?? 0, 100) - reached);
    reached += increment;
    shown?.report({ ...(message === undefined ? {} : { message }), ...(increment ? { increment } : {}) });
  };
  void window.withProgress(
    { location: ProgressLocation.Notification, title: begin.title, cancellable: true },
    (progress, cancellation) => {
      shown = progress;
      cancellation.onCancellationRequested(cancel);
      report(begin.message, begin.percentage);
      return closed;
    },
  );
  return { report, close };
}
