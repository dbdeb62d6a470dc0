/** The file tree: open, filter, create. */

import { useMemo, useRef, useState } from 'preact/hooks';

import { writeFile } from '../api.ts';
import { documents } from '../editor/documents.ts';
import { foldersOfEvals, refusal, shownNodes, treeOf } from '../logic/tree.ts';
import { useValue } from '../observable.ts';
import { entries, isTruncated, problems, tell } from '../studio.ts';
import { readEntries } from '../readEntries.ts';

export function Files() {
  const all = useValue(entries);
  const active = useValue(documents.active);
  const found = useValue(problems);
  const [filter, setFilter] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null);
  const [name, setName] = useState<string | null>(null);
  const [focused, setFocused] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const tree = useMemo(() => treeOf(all), [all]);
  const open = useMemo(() => chosen ?? foldersOfEvals(all), [chosen, all]);
  const rows = shownNodes(tree, open, filter);

  const toggle = (path: string, isOpen: boolean) => {
    const next = new Set(open);
    isOpen ? next.delete(path) : next.add(path);
    setChosen(next);
  };
  const show = (path: string) => documents.goTo(path);
  const focus = (index: number) => {
    const place = Math.min(Math.max(index, 0), rows.length - 1);
    setFocused(place);
    list.current?.querySelectorAll<HTMLElement>('[role=treeitem]')[place]?.focus();
  };
  const key = (event: KeyboardEvent, index: number) => {
    const row = rows[index];
    if (row === undefined) {
      return;
    }
    const { node } = row;
    const isOpen = open.has(node.path);
    if (event.key === 'ArrowDown') {
      focus(index + 1);
    } else if (event.key === 'ArrowUp') {
      focus(index - 1);
    } else if (event.key === 'Home') {
      focus(0);
    } else if (event.key === 'End') {
      focus(rows.length - 1);
    } else if (event.key === 'ArrowRight' && node.isFolder) {
      isOpen ? focus(index + 1) : toggle(node.path, false);
    } else if (event.key === 'ArrowLeft') {
      isOpen && node.isFolder ? toggle(node.path, true) : focus(rows.findIndex((it) => it.node.path === node.path.slice(0, node.path.lastIndexOf('/'))));
    } else if (event.key === 'Enter' || event.key === ' ') {
      node.isFolder ? toggle(node.path, isOpen) : void show(node.path);
    } else {
      return;
    }
    event.preventDefault();
  };
  const create = async (event: Event) => {
    event.preventDefault();
    const path = (name ?? '').trim();
    const reason = refusal(path, all);
    if (reason !== '') {
      tell(reason, 'warning');
      return;
    }
    try {
      await writeFile(path, '', '');
      setName(null);
      await readEntries();
      await show(path);
    } catch (error) {
      tell((error as Error).message, 'error');
    }
  };

  return (
    <nav class="files" aria-label="Files">
      <div class="bar">
        <input
          type="search"
          placeholder="Filter files"
          aria-label="Filter files"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <button type="button" class="quiet" title="New file" aria-label="New file" onClick={() => setName(name === null ? '' : null)}>
          +
        </button>
      </div>
      {name !== null && (
        <form class="bar" onSubmit={create}>
          <input
            ref={(it) => it?.focus()}
            placeholder="tasks/new.yaml"
            aria-label="Path of the new file"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
            onKeyDown={(event) => event.key === 'Escape' && setName(null)}
          />
          <button type="submit" class="quiet">Create</button>
        </form>
      )}
      {rows.length === 0 ? (
        <p class="nothing">{filter === '' ? 'The folder is empty.' : 'No file matches.'}</p>
      ) : (
        <div role="tree" aria-label="Files of the folder" class="tree" ref={list}>
          {rows.map(({ node, depth }, index) => {
            const worst = worstOf(found, node.path, node.isFolder);
            return (
              <div
                key={node.path}
                role="treeitem"
                aria-level={depth + 1}
                aria-selected={active?.path === node.path}
                {...(node.isFolder && { 'aria-expanded': open.has(node.path) || filter !== '' })}
                tabIndex={index === Math.min(focused, rows.length - 1) ? 0 : -1}
                class={`row ${node.isFolder ? 'folder' : 'file'}${node.isEval ? ' eval' : ''} ${worst}`}
                style={{ paddingLeft: `${8 + depth * 14}px` }}
                title={node.path}
                onFocus={() => setFocused(index)}
                onKeyDown={(event) => key(event, index)}
                onClick={() => (node.isFolder ? toggle(node.path, open.has(node.path)) : void show(node.path))}
              >
                <span class="mark" aria-hidden="true">
                  {node.isFolder ? (open.has(node.path) || filter !== '' ? '▾' : '▸') : node.isEval ? '◆' : ''}
                </span>
                <span class="name">{node.name}</span>
                {worst !== '' && <span class="dot" role="img" aria-label={`has ${worst}s`} />}
              </div>
            );
          })}
        </div>
      )}
      {useValue(isTruncated) && <p class="nothing">The folder has more files than are listed here.</p>}
    </nav>
  );
}

function worstOf(found: ReadonlyMap<string, readonly { severity: string }[]>, path: string, isFolder: boolean): string {
  const severities = new Set<string>();
  for (const [at, list] of found) {
    if (at === path || (isFolder && at.startsWith(`${path}/`))) {
      list.forEach((it) => severities.add(it.severity));
    }
  }
  return severities.has('error') ? 'error' : severities.has('warning') ? 'warning' : '';
}
