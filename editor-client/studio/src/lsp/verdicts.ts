/** Verdicts at the line: the first line of what a run or live grading says, at the end of the line, with a way to the step. */

import { setDiagnosticsEffect } from '@codemirror/lint';
import { type Extension, type Range, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';

import { inlineText, isFailedCheck } from '../logic/findings.ts';

class Verdict extends WidgetType {
  constructor(
    private readonly message: string,
    private readonly open: (view: EditorView, dom: HTMLElement, message: string) => void,
  ) {
    super();
  }

  override eq(other: Verdict): boolean {
    return other.message === this.message;
  }

  toDOM(view: EditorView): HTMLElement {
    const note = document.createElement('span');
    note.className = 'verdict';
    const text = note.appendChild(document.createElement('span'));
    text.className = 'words';
    text.textContent = inlineText(this.message);
    const button = note.appendChild(document.createElement('button'));
    button.type = 'button';
    button.className = 'to-step';
    button.textContent = 'Show the step';
    button.onmousedown = (event) => event.preventDefault();
    button.onclick = () => this.open(view, note, this.message);
    return note;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

/** `openStep` gets the line, from 0, of a failed check. */
export function verdicts(openStep: (view: EditorView, line: number, message: string) => void): Extension {
  const open = (view: EditorView, dom: HTMLElement, message: string) => {
    openStep(view, view.state.doc.lineAt(view.posAtDOM(dom)).number - 1, message);
  };
  return StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update(notes, transaction) {
      const told = transaction.effects.find((it) => it.is(setDiagnosticsEffect));
      if (told === undefined) {
        return notes.map(transaction.changes);
      }
      const doc = transaction.state.doc;
      const lines = new Map<number, Range<Decoration>>();
      for (const { from, source = '', message } of told.value) {
        const place = doc.lineAt(from).to;
        if (isFailedCheck(source) && !lines.has(place)) {
          const widget = new Verdict(message, open);
          lines.set(place, Decoration.widget({ widget, side: 2 }).range(place));
        }
      }
      return Decoration.set([...lines.values()], true);
    },
    provide: (it) => EditorView.decorations.from(it),
  });
}
