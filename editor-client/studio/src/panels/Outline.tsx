/** The outline of the active file; the symbol that holds the cursor is marked. */

import { useEffect, useState } from 'preact/hooks';
import type { DocumentSymbol } from 'vscode-languageserver-types';

import { cursor } from '../editor/cursor.ts';
import { documents } from '../editor/documents.ts';
import { offsetOf } from '../logic/textEdits.ts';
import { outlineOf } from '../lsp/outline.ts';
import { lensesStale, type LanguageServer } from '../lsp/server.ts';
import { useValue } from '../observable.ts';
import { problems } from '../studio.ts';

export function Outline({ server }: { server: LanguageServer }) {
  const file = useValue(documents.active);
  const at = useValue(cursor);
  const stale = useValue(lensesStale);
  const found = useValue(problems);
  const [symbols, setSymbols] = useState<DocumentSymbol[]>([]);
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(() => {
      if (file !== null) {
        outlineOf(server, file).then((it) => isCurrent && setSymbols(it), () => undefined);
      }
    }, 150);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [file, stale, found]);
  useEffect(() => setSymbols([]), [file]);
  if (file === null || symbols.length === 0) {
    return <p class="nothing">No outline: open an eval or a task.</p>;
  }
  const doc = file.view.state.doc;
  const here = at.path === file.path ? at.offset : -1;
  const rows = (list: readonly DocumentSymbol[], depth: number) => (
    <ul>
      {list.map((it, index) => {
        const from = offsetOf(doc, it.range.start);
        const isHere = from <= here && here <= offsetOf(doc, it.range.end);
        return (
          <li key={index}>
            <button
              type="button"
              class={isHere ? 'here' : ''}
              {...(isHere && { 'aria-current': 'location' })}
              style={{ paddingLeft: `${8 + depth * 14}px` }}
              onClick={() => void documents.show(file.path, it.selectionRange.start)}
            >
              <span class="name">{it.name}</span>
              {it.detail !== undefined && <span class="detail">{it.detail}</span>}
            </button>
            {it.children !== undefined && it.children.length > 0 && rows(it.children, depth + 1)}
          </li>
        );
      })}
    </ul>
  );
  return <div class="outline">{rows(symbols, 0)}</div>;
}
