/** The open files: their tabs, the editor of the active one, and what to do about a conflict. */

import { useLayoutEffect, useRef } from 'preact/hooks';

import { documents, type OpenFile } from '../editor/documents.ts';
import { nameOf } from '../logic/paths.ts';
import { useValue } from '../observable.ts';

export function Editor() {
  const open = useValue(documents.open);
  const active = useValue(documents.active);
  const place = useRef<HTMLDivElement>(null);
  // Before the next frame, in which the editor gets the focus.
  useLayoutEffect(() => {
    place.current?.replaceChildren(...(active === null ? [] : [active.view.dom]));
    active?.view.requestMeasure();
  }, [active]);
  return (
    <section class="editor" aria-label="Editor">
      {open.length > 0 && (
        <div class="tabs" role="tablist" aria-label="Open files">
          {open.map((it) => (
            <Tab key={it.path} file={it} isActive={it === active} />
          ))}
        </div>
      )}
      {active !== null && <Conflict file={active} />}
      <div class="text" ref={place} {...(active !== null && { role: 'tabpanel', 'aria-label': active.path })} />
      {active === null && <p class="nothing">Open a file on the left to edit it.</p>}
    </section>
  );
}

function Tab({ file, isActive }: { file: OpenFile; isActive: boolean }) {
  const state = useValue(file.state);
  const edited = state === 'saved' ? '' : state === 'conflict' ? 'changed on disk' : 'not saved yet';
  const move = (event: KeyboardEvent) => {
    const open = documents.open.value;
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const next = open[(open.indexOf(file) + step + open.length) % open.length];
    if (step !== 0 && next !== undefined) {
      documents.active.value = next;
      const tabs = (event.currentTarget as HTMLElement).parentElement?.parentElement;
      requestAnimationFrame(() => tabs?.querySelector<HTMLElement>('[aria-selected=true]')?.focus());
    } else if (event.key === 'Delete') {
      void documents.close(file);
    }
  };
  return (
    <div class={`tab${isActive ? ' active' : ''}`} role="presentation">
      <button
        type="button"
        role="tab"
        aria-selected={isActive}
        aria-keyshortcuts="Delete"
        tabIndex={isActive ? 0 : -1}
        title={file.path}
        onClick={() => void documents.show(file.path)}
        onKeyDown={move}
      >
        {nameOf(file.path)}
        {edited !== '' && <span class="edited" role="img" aria-label={edited} title={edited} />}
      </button>
      <span class="close" aria-hidden="true" title="Close (Delete)" onClick={() => void documents.close(file)}>
        ×
      </span>
    </div>
  );
}

function Conflict({ file }: { file: OpenFile }) {
  const state = useValue(file.state);
  if (state !== 'conflict' && state !== 'refused') {
    return null;
  }
  return (
    <div class="notice warning" role="alert">
      <span>
        {state === 'conflict'
          ? `${nameOf(file.path)} has changed on disk, and you have changes that are not saved.`
          : `${nameOf(file.path)} is not saved.`}
      </span>
      {state === 'conflict' && (
        <button type="button" onClick={() => void file.takeDisk()}>
          Take the file from disk
        </button>
      )}
      <button type="button" onClick={() => void (state === 'conflict' ? file.takeOwn() : file.save())}>
        {state === 'conflict' ? 'Keep my text' : 'Save again'}
      </button>
    </div>
  );
}
