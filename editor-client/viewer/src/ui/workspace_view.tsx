/** The files of the workspace after a step, and what changed in them. */

import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';

import { firstLine, plural } from '../format.ts';
import type { Mark } from '../marks.ts';
import { compareFiles, type FileEntry, type Files } from '../workspace.ts';
import { LineView } from './line_view.tsx';
import { VirtualList } from './virtual.tsx';

export interface Base {
  readonly id: string;
  readonly label: string;
  readonly files: Files;
}

interface Props {
  readonly title: string;
  readonly files: Files;
  readonly bases: readonly Base[];
  readonly base: string;
  readonly onBase: (id: string) => void;
  /** The files that the selected step changed. */
  readonly touched: readonly string[];
  readonly uncaptured: readonly string[];
  readonly note: string;
  readonly marks: readonly Mark[];
  /** Marks in the texts before. */
  readonly marksBefore: readonly Mark[];
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly onFile: (path: string) => void;
  readonly onMark: (mark: Mark) => void;
  readonly onMakeCheck?: ((path: string) => void) | undefined;
}

const STATE_WORDS = { added: 'added', deleted: 'deleted', changed: 'changed', same: 'unchanged' } as const;
const STATE_LETTERS = { added: 'A', deleted: 'D', changed: 'M', same: '' } as const;

export function WorkspaceView(props: Props) {
  const base = props.bases.find((it) => it.id === props.base) ?? props.bases[0];
  const before = base?.files;
  const entries = useMemo(() => compareFiles(before ?? new Map(), props.files), [before, props.files]);
  const [isAll, setAll] = useState(true);
  const changed = entries.filter((it) => it.state !== 'same');
  const listed = isAll || changed.length === 0 ? entries : changed;
  const path = chosen(props, entries);
  const entry = entries.find((it) => it.path === path);
  const marks = useMemo(() => marksByLine(props.marks, path), [props.marks, path]);
  const marksBefore = useMemo(() => marksByLine(props.marksBefore, path), [props.marksBefore, path]);
  return (
    <section class="pane workspace" aria-label="Workspace">
      <div class="bar">
        <h2>{props.title}</h2>
        <span class="choice" role="group" aria-label="Compare the files with">
          {props.bases.map((it) => (
            <button type="button" aria-pressed={it.id === base?.id} onClick={() => props.onBase(it.id)}>
              {it.label}
            </button>
          ))}
        </span>
      </div>
      {props.note !== '' && <p class="note">{props.note}</p>}
      {entries.length === 0 ? (
        <p class="nothing">The workspace has no text files at this step.</p>
      ) : (
        <>
          <FileList entries={listed} path={path} touched={props.touched} onFile={props.onFile} />
          <div class="file-head">
            <b>{path}</b>
            {entry && <span class={`state is-${entry.state}`}>{STATE_WORDS[entry.state]}</span>}
            {[...(marks.get(0) ?? []), ...(marksBefore.get(0) ?? [])].map((mark) => (
              <button type="button" class="mark" onClick={() => props.onMark(mark)}>
                <b>{mark.name}</b> {firstLine(mark.message, 120)}
              </button>
            ))}
            <span class="file-actions">
              {props.onMakeCheck && path !== undefined && (
                <button type="button" onMouseDown={(event) => event.preventDefault()} onClick={() => props.onMakeCheck?.(path)}>
                  Make a check
                </button>
              )}
              {changed.length > 0 && changed.length < entries.length && (
                <button type="button" aria-pressed={!isAll} onClick={() => setAll(!isAll)}>
                  Only changed
                </button>
              )}
            </span>
          </div>
          {path !== undefined && (
            <div class="content" data-path={path}>
            <LineView
              key={path}
              before={before?.get(path)}
              after={props.files.get(path)}
              isDiff={entry !== undefined && entry.state !== 'same'}
              label={`Content of ${path}`}
              marks={marks}
              marksBefore={marksBefore}
              line={props.file === path ? props.line : undefined}
              onMark={props.onMark}
            />
            </div>
          )}
        </>
      )}
      {props.uncaptured.length > 0 && <Uncaptured paths={props.uncaptured} />}
    </section>
  );
}

function marksByLine(marks: readonly Mark[], path: string | undefined): ReadonlyMap<number, readonly Mark[]> {
  const found = new Map<number, Mark[]>();
  for (const mark of marks) {
    if (mark.target?.kind === 'file' && mark.target.path === path) {
      found.set(mark.target.line, [...(found.get(mark.target.line) ?? []), mark]);
    }
  }
  return found;
}

/** The file that was asked for, else one that the step changed, else one that differs. */
function chosen({ file, touched }: Props, entries: readonly FileEntry[]): string | undefined {
  const has = (path: string | undefined) => path !== undefined && entries.some((it) => it.path === path);
  if (has(file)) {
    return file;
  }
  return touched.find(has) ?? entries.find((it) => it.state !== 'same')?.path ?? entries[0]?.path;
}

function FileList({ entries, path, touched, onFile }: { entries: readonly FileEntry[]; path: string | undefined; touched: readonly string[]; onFile: (path: string) => void }): ComponentChildren {
  const jump = useMemo(() => ({ index: entries.findIndex((it) => it.path === path) }), [path, entries]);
  return (
    <VirtualList
      count={entries.length}
      estimate={26}
      keyOf={(index) => entries[index]?.path ?? index}
      jump={jump}
      attributes={{ class: 'files', role: 'list', 'aria-label': plural(entries.length, 'file'), style: { '--rows': String(Math.min(entries.length, 7)) } }}
      row={(index) => {
        const it = entries[index];
        return (
          it && (
            <div role="listitem">
              <button type="button" class={`file is-${it.state}`} aria-current={it.path === path ? 'true' : undefined} onClick={() => onFile(it.path)}>
                <span class={`letter is-${it.state}`} aria-hidden="true">
                  {STATE_LETTERS[it.state]}
                </span>
                <span class="path">{it.path}</span>
                {it.state !== 'same' && <span class="hidden">{STATE_WORDS[it.state]}</span>}
                {touched.includes(it.path) && <span class="this-step">this step</span>}
              </button>
            </div>
          )
        );
      }}
    />
  );
}

function Uncaptured({ paths }: { paths: readonly string[] }) {
  return (
    <details class="note">
      <summary>{plural(paths.length, 'file')} not captured (binary or too large)</summary>
      <ul>
        {paths.slice(0, 200).map((it) => (
          <li>
            <code>{it}</code>
          </li>
        ))}
        {paths.length > 200 && <li>and {paths.length - 200} more</li>}
      </ul>
    </details>
  );
}
