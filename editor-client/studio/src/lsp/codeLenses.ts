/** Code lenses: a row of buttons above a line. */

import { LSPPlugin } from '@codemirror/lsp-client';
import { type Extension, type Range, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';
import type { CodeLens, Command } from 'vscode-languageserver-types';

import { lensKind } from '../logic/lenses.ts';
import { offsetOf } from '../logic/textEdits.ts';
import type { LanguageServer } from './server.ts';
import { lensesStale } from './server.ts';
import { askAgain } from './stale.ts';

const setLenses = StateEffect.define<readonly CodeLens[]>();

type Execute = (command: Command) => void;

class Row extends WidgetType {
  private readonly key: string;

  constructor(
    private readonly commands: readonly Command[],
    private readonly indent: number,
    private readonly execute: Execute,
  ) {
    super();
    this.key = JSON.stringify([commands, indent]);
  }

  override eq(other: Row): boolean {
    return other.key === this.key;
  }

  override get estimatedHeight(): number {
    return 22;
  }

  toDOM(): HTMLElement {
    const row = document.createElement('div');
    row.className = 'lenses';
    row.style.paddingLeft = `calc(6px + ${this.indent}ch)`;
    for (const command of this.commands) {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = `lens ${lensKind(command)}`;
      button.textContent = command.title;
      button.dataset.command = command.command;
      if (command.command === '') {
        button.disabled = true;
      }
      button.onmousedown = (event) => event.preventDefault();
      button.onclick = () => this.execute(command);
      row.append(button);
    }
    return row;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

export function codeLenses(server: () => LanguageServer, execute: Execute): Extension {
  const field = StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update(rows, transaction) {
      const told = transaction.effects.find((it) => it.is(setLenses));
      if (told === undefined) {
        return rows.map(transaction.changes);
      }
      const doc = transaction.state.doc;
      const lines = new Map<number, CodeLens[]>();
      for (const lens of told.value as readonly CodeLens[]) {
        const { from } = doc.lineAt(offsetOf(doc, lens.range.start));
        lines.set(from, [...(lines.get(from) ?? []), lens]);
      }
      const made: Range<Decoration>[] = [...lines].map(([from, lenses]) => {
        const commands = lenses.flatMap((it) => it.command ?? []);
        const indent = Math.max(0, lenses[0]?.range.start.character ?? 0);
        return Decoration.widget({ widget: new Row(commands, indent, execute), block: true, side: -1 }).range(from);
      });
      return Decoration.set(made, true);
    },
    provide: (it) => EditorView.decorations.from(it),
  });
  const ask = async (view: EditorView) => {
    const uri = LSPPlugin.get(view)?.uri;
    if (uri === undefined) {
      return;
    }
    const before = view.state.doc;
    const found = await server().request<CodeLens[] | null>('textDocument/codeLens', { textDocument: { uri } });
    if (view.state.doc.eq(before)) {
      const focused = view.dom.querySelector<HTMLElement>('.lens:focus');
      const place = focused && view.posAtDOM(focused);
      view.dispatch({ effects: setLenses.of(found ?? []) });
      if (focused !== null && place !== null && !focused.isConnected) {
        focusAgain(view, focused.dataset.command, place);
      }
    }
  };
  return [field, askAgain(lensesStale, ask)];
}

/** Focus the lens that has taken the place of a focused one; without it, the text. */
function focusAgain(view: EditorView, command: string | undefined, place: number): void {
  const lenses = [...view.dom.querySelectorAll<HTMLElement>('.lens')].filter((it) => view.posAtDOM(it) === place);
  (lenses.find((it) => it.dataset.command === command) ?? lenses[0] ?? view).focus();
}
