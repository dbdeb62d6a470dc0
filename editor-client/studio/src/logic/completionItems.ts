/** What a completion item inserts, and where. Pure. */

import type { CompletionItem, Position } from 'vscode-languageserver-types';

export function newTextOf(item: CompletionItem): string {
  return item.textEdit?.newText ?? item.insertText ?? item.label;
}

/** Where the replaced text begins: the earliest place of all items on the line; null if none says it. */
export function startOf(items: readonly CompletionItem[]): Position | null {
  const starts = items.flatMap(({ textEdit }) => {
    if (textEdit === undefined) {
      return [];
    }
    return ['range' in textEdit ? textEdit.range.start : textEdit.insert.start];
  });
  return starts.reduce<Position | null>((first, it) => (first === null || it.character < first.character ? it : first), null);
}

/** CodeMirror's form of a snippet: `$1` is `${1}`, and only braces are escaped. */
export function snippetOf(text: string): string {
  return text.replace(/\\([$}\\])|\$(\d+)/g, (_, escaped: string | undefined, field: string) => escaped ?? `\${${field}}`);
}
