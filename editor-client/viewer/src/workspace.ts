/** The workspace as it was after a step, and what changed between two moments. Pure. */

import type { Workspace } from './trace.ts';

export type Files = ReadonlyMap<string, string>;

const KEPT = 6;
/** The files that were asked for last. The next ones are mostly those of a step or two later. */
const recent = new WeakMap<Workspace, (readonly [number, Files])[]>();

/** Return the text files after a step; step 0 is the start. */
export function filesAfter(workspace: Workspace, step: number): Files {
  const kept = recent.get(workspace) ?? [];
  const earlier = kept.filter(([at]) => at <= step).sort(([a], [b]) => b - a)[0];
  if (earlier?.[0] === step) {
    return earlier[1];
  }
  const files = replayed(workspace, earlier?.[0] ?? -Infinity, step, earlier?.[1]);
  recent.set(workspace, [[step, files] as const, ...kept].slice(0, KEPT));
  return files;
}

function replayed(workspace: Workspace, from: number, to: number, start: Files | undefined): Files {
  const files = new Map(start ?? [...Object.entries(workspace.initial), ...knownParts(workspace)]);
  for (const change of sorted(workspace)) {
    if (change.step <= from) {
      continue;
    }
    if (change.step > to) {
      break;
    }
    if (change.text === null) {
      files.delete(change.path);
    } else if (change.is_part) {
      files.set(change.path, replaced(files.get(change.path) ?? '', change.before ?? '', change.text));
    } else {
      files.set(change.path, change.text);
    }
  }
  return files;
}

function sorted(workspace: Workspace): readonly Workspace['changes'][number][] {
  const { changes } = workspace;
  const inOrder = changes.every((it, index) => index === 0 || (changes[index - 1]?.step ?? 0) <= it.step);
  return inOrder ? changes : changes.toSorted((a, b) => a.step - b.step);
}

/** Stands between the parts of a file that are known. */
const GAP = '\n\u22ef\n';

/** Return what is known at the start of files of which calls only name parts, in a page that lacks their texts. */
export function knownParts(workspace: Workspace): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  const now = new Map<string, string>(Object.entries(workspace.initial));
  for (const { path, is_part: isPart, before = '', text } of sorted(workspace)) {
    const known = now.get(path);
    if (text === null) {
      now.set(path, '');
    } else if (!isPart) {
      now.set(path, text);
    } else if (known !== undefined && known.includes(before)) {
      now.set(path, replaced(known, before, text));
    } else if (known === undefined || parts.has(path)) {
      const start = parts.get(path);
      parts.set(path, start === undefined ? before : start + GAP + before);
      now.set(path, known === undefined ? text : known + GAP + text);
    }
  }
  return parts;
}

function replaced(text: string, before: string, after: string): string {
  if (before === '') {
    return text === '' ? after : text + GAP + after;
  }
  return text.replace(before, () => after);
}

export type FileState = 'added' | 'deleted' | 'changed' | 'same';

export interface FileEntry {
  readonly path: string;
  readonly state: FileState;
}

/** Return all files of two moments, sorted by path. */
export function compareFiles(before: Files, after: Files): FileEntry[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort(byPath);
  return paths.map((path) => ({ path, state: stateOf(before.get(path), after.get(path)) }));
}

function byPath(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function stateOf(before: string | undefined, after: string | undefined): FileState {
  if (before === after) {
    return 'same';
  }
  if (before === undefined) {
    return 'added';
  }
  return after === undefined ? 'deleted' : 'changed';
}

/** Return the paths that each step changed. */
export function changesByStep(workspace: Workspace): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const { step, path } of workspace.changes) {
    const paths = found.get(step);
    if (paths === undefined) {
      found.set(step, [path]);
    } else if (!paths.includes(path)) {
      paths.push(path);
    }
  }
  return found;
}

/** Say how sure the record is of the workspace after a step; nothing if it is exact. */
export function doubt(workspace: Workspace, step: number): string {
  const found = workspace.changes.filter((it) => it.how === 'found');
  const here = found.filter((it) => it.step === step);
  if (here.length > 0) {
    const what = here.length === 1 ? 'this change' : `${here.length} of these changes`;
    return `No call says when ${what} happened. The record only has the state after the last step; this is the last step that could have made it.`;
  }
  if (workspace.is_exact) {
    return '';
  }
  const later = found.filter((it) => it.step > step).length;
  return later > 0
    ? `Not exact: commands may have changed files before this step. ${later === 1 ? '1 change is' : `${later} changes are`} only known from the end, and shown at the last step that could have made ${later === 1 ? 'it' : 'them'}.`
    : 'Not exact: a command changed files in a way that the record does not show step by step.';
}
