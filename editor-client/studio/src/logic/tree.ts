/** The file tree: nested folders of a flat list, and what a filter leaves of it. Pure. */

import type { Entry } from '../api.ts';
import { nameOf } from './paths.ts';

export interface Node {
  readonly path: string;
  readonly name: string;
  readonly isFolder: boolean;
  readonly isEval: boolean;
  readonly children: Node[];
}

export function treeOf(entries: readonly Entry[]): Node[] {
  const top: Node[] = [];
  const folders = new Map<string, Node[]>([['', top]]);
  const childrenOf = (path: string): Node[] => {
    let children = folders.get(path);
    if (children === undefined) {
      children = [];
      folders.set(path, children);
      childrenOf(parentOf(path)).push({ path, name: nameOf(path), isFolder: true, isEval: false, children });
    }
    return children;
  };
  for (const { path, kind, is_eval } of entries) {
    if (kind === 'folder') {
      childrenOf(path);
    } else {
      childrenOf(parentOf(path)).push({ path, name: nameOf(path), isFolder: false, isEval: is_eval, children: [] });
    }
  }
  for (const children of folders.values()) {
    children.sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || a.name.localeCompare(b.name));
  }
  return top;
}

function parentOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}

/** The nodes that are shown, in order, with their depth. A filter opens every folder that holds a match. */
export function shownNodes(tree: readonly Node[], open: ReadonlySet<string>, filter: string): { node: Node; depth: number }[] {
  const words = filter.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const found: { node: Node; depth: number }[] = [];
  const visit = (nodes: readonly Node[], depth: number) => {
    for (const node of nodes) {
      if (words.length > 0 && !matches(node, words)) {
        continue;
      }
      found.push({ node, depth });
      if (node.isFolder && (words.length > 0 || open.has(node.path))) {
        visit(node.children, depth + 1);
      }
    }
  };
  visit(tree, 0);
  return found;
}

function matches(node: Node, words: readonly string[]): boolean {
  if (node.isFolder) {
    return node.children.some((it) => matches(it, words));
  }
  return words.every((it) => node.path.toLowerCase().includes(it));
}

/** A folder is open at the start if it lies on the way to an eval. */
export function foldersOfEvals(entries: readonly Entry[]): Set<string> {
  const open = new Set<string>();
  for (const { path, is_eval } of entries) {
    for (let at = parentOf(path); is_eval && at !== ''; at = parentOf(at)) {
      open.add(at);
    }
  }
  return open;
}

/** Why a path cannot be that of a new file; "" if it can. */
export function refusal(path: string, entries: readonly Entry[]): string {
  const parts = path.split('/');
  if (path.trim() === '') {
    return 'Type the name of the file.';
  }
  if (path.includes('\\') || parts.some((it) => it.trim() === '' || it === '.' || it === '..')) {
    return 'Type a path inside the folder, such as tasks/new.yaml.';
  }
  return entries.some((it) => it.path === path) ? `${path} already exists.` : '';
}
