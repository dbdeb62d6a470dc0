/** Asks the server again after edits, once typing pauses, and when the server says that its answer has changed. */

import { ViewPlugin, type EditorView, type ViewUpdate } from '@codemirror/view';

import type { Observable } from '../observable.ts';

const PAUSE_MS = 300;

export function askAgain(changed: Observable<number>, ask: (view: EditorView) => Promise<void>) {
  return ViewPlugin.fromClass(
    class {
      private timer = 0;
      private readonly leave: () => void;

      constructor(private readonly view: EditorView) {
        this.leave = changed.follow(() => this.later(30));
        this.later(0);
      }

      update(update: ViewUpdate): void {
        if (update.docChanged) {
          this.later(PAUSE_MS);
        }
      }

      destroy(): void {
        clearTimeout(this.timer);
        this.leave();
      }

      private later(ms: number): void {
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => {
          // A lost connection is shown in the status bar, and asks again when it is back.
          ask(this.view).catch(() => undefined);
        }, ms);
      }
    },
  );
}
