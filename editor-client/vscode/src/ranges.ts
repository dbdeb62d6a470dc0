/** Ranges of the protocol as ranges of VS Code. */

import { Range } from 'vscode';
import type { Range as PlainRange } from 'vscode-languageclient/node';

export function toRange({ start, end }: PlainRange): Range {
  return new Range(start.line, start.character, end.line, end.character);
}
