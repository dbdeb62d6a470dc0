/** Code actions: a light bulb beside the cursor's line, and a menu by mouse or by Ctrl-. */

import { LSPPlugin } from '@codemirror/lsp-client';
import { type Extension, RangeSet, StateEffect, StateField } from '@codemirror/state';
import { EditorView, gutter, GutterMarker, keymap, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import type { CodeAction, Command, Diagnostic } from 'vscode-languageserver-types';

import { rangeOf } from '../logic/textEdits.ts';
import { Observable } from '../observable.ts';
import type { LanguageServer } from './server.ts';

const PAUSE_MS = 250;

export interface Menu {
  readonly view: EditorView;
  readonly left: number;
  readonly top: number;
  readonly actions: readonly (CodeAction | Command)[];
}

export const menu = new Observable<Menu | null>(null);

const setBulb = StateEffect.define<number | null>();

class Bulb extends GutterMarker {
  override toDOM(view: EditorView): HTMLElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'bulb';
    button.tabIndex = -1;
    button.title = 'Show fixes (Ctrl-.)';
    button.setAttribute('aria-label', 'Show fixes');
    button.onmousedown = (event) => event.preventDefault();
    button.onclick = () => openMenu(view, view.state.selection.main.from, view.state.selection.main.to);
    return button;
  }
}

const bulb = new Bulb();
let server: () => LanguageServer;

const field = StateField.define<number | null>({
  create: () => null,
  update(place, transaction) {
    const told = transaction.effects.find((it) => it.is(setBulb));
    if (told !== undefined) {
      return told.value as number | null;
    }
    return place === null ? null : transaction.changes.mapPos(place);
  },
});

const look = ViewPlugin.fromClass(
  class {
    private timer = 0;

    constructor(private readonly view: EditorView) {}

    update(update: ViewUpdate): void {
      if (update.docChanged || update.selectionSet || update.transactions.some((it) => it.effects.length > 0)) {
        if (update.docChanged || update.selectionSet) {
          menu.value = null;
        }
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => void this.ask(), PAUSE_MS);
      }
    }

    destroy(): void {
      clearTimeout(this.timer);
    }

    private async ask(): Promise<void> {
      const { main } = this.view.state.selection;
      const line = this.view.state.doc.lineAt(main.head);
      const before = this.view.state;
      const found = await actionsIn(this.view, line.from, line.to, true).catch(() => []);
      const place = found.length > 0 ? line.from : null;
      if (this.view.state.doc.eq(before.doc) && this.view.state.field(field) !== place) {
        this.view.dispatch({ effects: setBulb.of(place) });
      }
    }
  },
);

async function actionsIn(view: EditorView, from: number, to: number, isAutomatic = false): Promise<(CodeAction | Command)[]> {
  const uri = LSPPlugin.get(view)?.uri;
  if (uri === undefined) {
    return [];
  }
  const diagnostics: Diagnostic[] = [];
  const context = { diagnostics, triggerKind: isAutomatic ? 2 : 1, ...(isAutomatic && { only: ['quickfix'] }) };
  const range = rangeOf(view.state.doc, from, to);
  return (await server().request<(CodeAction | Command)[] | null>('textDocument/codeAction', { textDocument: { uri }, range, context })) ?? [];
}

/** Show what can be done in a range. With an empty range, on its whole line. */
export function openMenu(view: EditorView, from: number, to: number): boolean {
  const line = view.state.doc.lineAt(from);
  const before = view.state.doc;
  const [start, end] = from === to ? [line.from, line.to] : [from, to];
  void actionsIn(view, start, end).then((actions) => {
    const place = view.coordsAtPos(from);
    if (place !== null && view.state.doc.eq(before)) {
      menu.value = { view, left: place.left, top: place.bottom + 2, actions };
    }
  });
  return true;
}

export function quickFixes(of: () => LanguageServer): Extension {
  server = of;
  const open = (view: EditorView) => openMenu(view, view.state.selection.main.from, view.state.selection.main.to);
  return [
    field,
    look,
    gutter({
      class: 'bulbs',
      markers: (view) => {
        const place = view.state.field(field);
        return place === null ? RangeSet.empty : RangeSet.of([bulb.range(view.state.doc.lineAt(place).from)]);
      },
    }),
    keymap.of([
      { key: 'Mod-.', run: open, preventDefault: true },
      { key: 'Alt-Enter', run: open, preventDefault: true },
    ]),
  ];
}
