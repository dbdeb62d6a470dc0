/** The status bar: what runs, how far it is, a way to cancel; the connection; the cursor; what is saved. */

import { cursor } from '../editor/cursor.ts';
import { documents, type OpenFile } from '../editor/documents.ts';
import type { LanguageServer } from '../lsp/server.ts';
import { useValue } from '../observable.ts';
import { connected, session, works } from '../studio.ts';

const CONNECTED = { connecting: 'Starting the language server…', connected: 'Connected', lost: 'Connection lost. Trying again…' } as const;
const SAVED = { saved: 'Saved', edited: 'Not saved yet', saving: 'Saving…', conflict: 'Changed on disk', refused: 'Not saved' } as const;

export function Status({ server }: { server: LanguageServer }) {
  const running = useValue(works);
  const state = useValue(connected);
  const file = useValue(documents.active);
  useValue(cursor);
  return (
    <footer class="status">
      <span class={`connection ${state}`} role="status">
        {CONNECTED[state]}
      </span>
      <div class="works">
        {running.map((it) => (
          <div key={it.token} class="work">
            <span class="title">{[it.title, it.message].filter(Boolean).join(' · ')}</span>
            <progress aria-label={it.title} max={100} {...(it.percentage !== null && { value: it.percentage })} />
            {it.canCancel && (
              <button type="button" class="cancel" onClick={() => server.cancel(it.token)}>
                Cancel
              </button>
            )}
          </div>
        ))}
      </div>
      {file !== null && <Place file={file} />}
      <span class="version">waza-lsp {useValue(session)?.version}</span>
    </footer>
  );
}

function Place({ file }: { file: OpenFile }) {
  const state = useValue(file.state);
  const { doc, selection } = file.view.state;
  const line = doc.lineAt(selection.main.head);
  return (
    <>
      <span class="saved" role="status">{SAVED[state]}</span>
      <span>
        Line {line.number}, column {selection.main.head - line.from + 1}
      </span>
    </>
  );
}
