/** Inlay hints: short notes of the server within a line. */

import { LSPPlugin } from '@codemirror/lsp-client';
import { type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';
import type { InlayHint, MarkupContent } from 'vscode-languageserver-types';

import { offsetOf, rangeOf } from '../logic/textEdits.ts';
import { hintsStale, type LanguageServer } from './server.ts';
import { askAgain } from './stale.ts';

const setHints = StateEffect.define<readonly InlayHint[]>();

class Hint extends WidgetType {
  constructor(
    private readonly label: string,
    private readonly tooltip: string,
    private readonly sides: string,
  ) {
    super();
  }

  override eq(other: Hint): boolean {
    return other.label === this.label && other.tooltip === this.tooltip && other.sides === this.sides;
  }

  toDOM(): HTMLElement {
    const hint = document.createElement('span');
    hint.className = `inlay${this.sides}${this.label.includes('✓') ? ' passed' : ''}`;
    hint.textContent = this.label;
    hint.title = this.tooltip;
    return hint;
  }
}

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(hints, transaction) {
    const told = transaction.effects.find((it) => it.is(setHints));
    if (told === undefined) {
      return hints.map(transaction.changes);
    }
    const made = (told.value as readonly InlayHint[]).map((it) => {
      const label = typeof it.label === 'string' ? it.label : it.label.map((part) => part.value).join('');
      const sides = (it.paddingLeft ? ' before' : '') + (it.paddingRight ? ' behind' : '');
      const widget = new Hint(label, textOf(it.tooltip), sides);
      return Decoration.widget({ widget, side: 1 }).range(offsetOf(transaction.state.doc, it.position));
    });
    return Decoration.set(made, true);
  },
  provide: (it) => EditorView.decorations.from(it),
});

function textOf(tooltip: string | MarkupContent | undefined): string {
  return typeof tooltip === 'string' ? tooltip : (tooltip?.value ?? '');
}

export function inlayHints(server: () => LanguageServer): Extension {
  const ask = async (view: EditorView) => {
    const uri = LSPPlugin.get(view)?.uri;
    if (uri === undefined) {
      return;
    }
    const before = view.state.doc;
    const range = rangeOf(before, 0, before.length);
    const found = await server().request<InlayHint[] | null>('textDocument/inlayHint', { textDocument: { uri }, range });
    if (view.state.doc.eq(before)) {
      view.dispatch({ effects: setHints.of(found ?? []) });
    }
  };
  return [field, askAgain(hintsStale, ask)];
}
