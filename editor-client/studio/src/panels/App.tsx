/** The page: files on the left, the editor in the middle, the panels on the right. */

import { useEffect, useRef, useState } from 'preact/hooks';

import { askToTrust } from '../commands.ts';
import { documents } from '../editor/documents.ts';
import { keep, kept } from '../editor/kept.ts';
import type { LanguageServer } from '../lsp/server.ts';
import { useValue } from '../observable.ts';
import { panel, type PanelName, session } from '../studio.ts';
import { Audit } from './Audit.tsx';
import { Compare } from './Compare.tsx';
import { Editor } from './Editor.tsx';
import { Files } from './Files.tsx';
import { FixMenu } from './FixMenu.tsx';
import { Outline } from './Outline.tsx';
import { Problems } from './Problems.tsx';
import { Questions } from './Questions.tsx';
import { Runs } from './Runs.tsx';
import { Status } from './Status.tsx';
import { Trace } from './Trace.tsx';

const PANELS: readonly (readonly [PanelName, string])[] = [
  ['outline', 'Outline'],
  ['runs', 'Runs'],
  ['trace', 'Trace'],
  ['compare', 'Compare'],
  ['audit', 'Audit'],
];

export function App({ server }: { server: LanguageServer }) {
  const told = useValue(session);
  const file = useValue(documents.active);
  const isTrusted = told?.trusted ?? false;
  useEffect(() => {
    document.title = `${file === null ? (told?.name ?? '') : file.path} · waza-lsp studio`;
  }, [file, told]);
  return (
    <>
      <header class="top">
        <h1>
          waza-lsp <span>studio</span>
        </h1>
        <span class="folder" title={told?.folder}>
          {told?.demo ? 'Demo' : told?.name}
        </span>
        {told?.demo && <span class="faint">a temporary copy of an example, with recorded runs</span>}
        <span class="grow" />
        <span class="faint keys">
          <kbd>Ctrl</kbd> <kbd>Space</kbd> complete · <kbd>Ctrl</kbd> <kbd>.</kbd> fix · <kbd>F12</kbd> go to
        </span>
      </header>
      {!isTrusted && (
        <div class="notice trust" role="region" aria-label="Trust">
          <span>Nothing runs until you trust this folder.</span>
          <button type="button" class="first" onClick={() => void askToTrust()}>
            Trust…
          </button>
        </div>
      )}
      <Body server={server} />
      <Status server={server} />
      <Questions />
      <FixMenu />
    </>
  );
}

function Body({ server }: { server: LanguageServer }) {
  const shown = useValue(panel);
  const isTrace = shown === 'trace';
  const [width, setWidth] = useState(kept().width ?? 34);
  const main = useRef<HTMLElement>(null);
  const resize = (percent: number) => {
    const next = Math.min(Math.max(percent, 18), 75);
    setWidth(next);
    keep({ width: next });
  };
  const drag = (event: PointerEvent) => {
    const bar = event.currentTarget as HTMLElement;
    bar.setPointerCapture(event.pointerId);
    const move = (it: PointerEvent) => {
      const { right, width: whole } = (main.current as HTMLElement).getBoundingClientRect();
      resize(((right - it.clientX) / whole) * 100);
    };
    bar.addEventListener('pointermove', move);
    bar.addEventListener('pointerup', () => bar.removeEventListener('pointermove', move), { once: true });
  };
  const key = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowLeft' ? 3 : event.key === 'ArrowRight' ? -3 : 0;
    if (step !== 0) {
      resize(width + step);
      event.preventDefault();
    }
  };
  useEffect(() => {
    keep({ panel: shown });
  }, [shown]);
  // A trace has two columns of its own.
  const share = isTrace ? Math.max(width, 58) : width;
  return (
    <main ref={main} style={{ gridTemplateColumns: `minmax(140px, 13%) minmax(0, 1fr) 5px minmax(0, ${share}%)` }}>
      <Files />
      <div class="middle">
        <Editor />
        <Problems />
      </div>
      <div
        class="splitter"
        role="separator"
        aria-orientation="vertical"
        aria-label="Width of the panels"
        aria-valuenow={Math.round(share)}
        aria-valuemin={18}
        aria-valuemax={75}
        tabIndex={0}
        onPointerDown={drag}
        onKeyDown={key}
      />
      <aside aria-label="Panels">
        <PanelTabs shown={shown} />
        <div class="panel" role="tabpanel" id="panel" aria-labelledby={`tab-${shown}`} tabIndex={0}>
          {shown === 'outline' && <Outline server={server} />}
          {shown === 'runs' && <Runs />}
          {shown === 'trace' && <Trace />}
          {shown === 'compare' && <Compare />}
          {shown === 'audit' && <Audit />}
        </div>
      </aside>
    </main>
  );
}

function PanelTabs({ shown }: { shown: PanelName }) {
  const list = useRef<HTMLDivElement>(null);
  const key = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const place = (PANELS.findIndex(([name]) => name === shown) + step + PANELS.length) % PANELS.length;
    const next = PANELS[place];
    if (step !== 0 && next !== undefined) {
      panel.value = next[0];
      list.current?.querySelector<HTMLElement>(`#tab-${next[0]}`)?.focus();
    }
  };
  return (
    <div class="tabs" role="tablist" aria-label="Panels" ref={list} onKeyDown={key}>
      {PANELS.map(([name, label]) => (
        <div key={name} class={`tab${name === shown ? ' active' : ''}`} role="presentation">
          <button
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={name === shown}
            aria-controls="panel"
            tabIndex={name === shown ? 0 : -1}
            onClick={() => (panel.value = name)}
          >
            {label}
          </button>
        </div>
      ))}
    </div>
  );
}
