/** Wrapped lines continue below their own indentation, so that the structure of YAML stays visible. */

import { type EditorState, type Extension, type Range } from '@codemirror/state';
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';

const DEEPEST = 40;
const LEFT_PX = 6;
const known = new Map<number, Decoration>();

function hanging(columns: number): Decoration {
  const found = known.get(columns) ?? Decoration.line({ attributes: { style: `text-indent:-${columns}ch;padding-left:calc(${LEFT_PX}px + ${columns}ch)` } });
  known.set(columns, found);
  return found;
}

function columnsOf(text: string, { tabSize }: EditorState): number {
  const blank = /^[ \t]*(?:- )*/.exec(text)?.[0] ?? '';
  const columns = [...blank].reduce((sum, it) => sum + (it === '\t' ? tabSize : 1), 0);
  return Math.min(columns, DEEPEST);
}

function linesOf(view: EditorView): DecorationSet {
  const found: Range<Decoration>[] = [];
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = view.state.doc.lineAt(at);
      const columns = columnsOf(line.text, view.state);
      if (columns > 0) {
        found.push(hanging(columns).range(line.from));
      }
      at = line.to + 1;
    }
  }
  return Decoration.set(found);
}

export const hangingIndent: Extension = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = linesOf(view);
    }

    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged) {
        this.decorations = linesOf(update.view);
      }
    }
  },
  { decorations: (it) => it.decorations },
);
