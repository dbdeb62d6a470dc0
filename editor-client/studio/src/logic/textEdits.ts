/** LSP's positions and edits in a CodeMirror text. Pure. */

import type { ChangeSpec, Text } from '@codemirror/state';
import type { Position, Range, TextEdit } from 'vscode-languageserver-types';

/** The offset of a position. One that the text does not have is moved to the nearest one. */
export function offsetOf(text: Text, position: Position): number {
  if (position.line >= text.lines) {
    return text.length;
  }
  const line = text.line(Math.max(position.line, 0) + 1);
  return Math.min(line.from + Math.max(position.character, 0), line.to);
}

export function positionOf(text: Text, offset: number): Position {
  const line = text.lineAt(offset);
  return { line: line.number - 1, character: offset - line.from };
}

export function rangeOf(text: Text, from: number, to: number): Range {
  return { start: positionOf(text, from), end: positionOf(text, to) };
}

export function changesOf(text: Text, edits: readonly TextEdit[]): ChangeSpec[] {
  return edits.map((it) => ({
    from: offsetOf(text, it.range.start),
    to: offsetOf(text, it.range.end),
    // CodeMirror splits its texts at all line ends, and joins them with \n.
    insert: it.newText.replace(/\r\n?/g, '\n'),
  }));
}
