/**
 * The tree of evals with their tasks and graders, and of experiments with their variants. The id of an item is the key
 * that events name it by. After the first answer, the server sends only what has changed.
 */

import { TestTag, Uri, type TestController, type TestItem, type TestItemCollection } from 'vscode';

import type { Runnable, TreeChanges } from './protocol';
import { toRange } from './ranges';
import type { Server } from './server';
import { shifted } from './treeShifts';

const MOST_EVALS = 200;

export interface TestTree {
  /** Brings the tree up to date. */
  load(): Promise<void>;
  /** Forgets what the server has sent: another server knows nothing of it. */
  reset(): void;
  find(key: string): TestItem | undefined;
  /** Notes that an item shows a live verdict: an edit of its text does not make that out of date. */
  noteLive(item: TestItem): void;
  /** What the server says about an item. */
  about(item: TestItem): Runnable | undefined;
  /** Whether a file has tests. */
  covers(file: Uri): boolean;
}

/** `shown` is called with the tasks of which an answer says something new. */
export function testTree(
  controller: TestController,
  server: Server,
  shown: (tasks: Runnable[], tree: TestTree) => void,
): TestTree {
  const known = new Map<TestItem, Runnable>();
  /** Evals and what is directly below them. */
  const byKey = new Map<string, TestItem>();
  const live = new WeakSet<TestItem>();
  let version = 0;
  let loading = Promise.resolve();

  function childrenOf(parent: string | null): TestItemCollection | undefined {
    return parent === null ? controller.items : tree.find(parent)?.children;
  }

  function add(items: TestItemCollection, it: Runnable, depth: number): void {
    const item = controller.createTestItem(it.key, it.label, Uri.parse(it.uri));
    describe(item, it, it);
    it.children.forEach((child, index) => add(item.children, { ...child, index }, depth + 1));
    items.add(item);
    if (depth < 2) {
      byKey.set(it.key, item);
    }
  }

  /** Shows the members that have changed. */
  function describe(item: TestItem, it: Runnable, changed: Partial<Runnable>): void {
    known.set(item, it);
    if (changed.label !== undefined) {
      item.label = changed.label;
    }
    if (changed.range) {
      item.range = toRange(changed.range);
    }
    if (changed.tags) {
      item.tags = changed.tags.map((tag) => new TestTag(tag));
    }
    if (changed.index !== undefined) {
      // In the order of the file.
      item.sortText = String(changed.index).padStart(6, '0');
    }
    if (changed.verdict && !changed.verdict.stale) {
      live.delete(item);
    } else if (changed.verdict && !live.has(item)) {
      controller.invalidateTestResults(item);
    }
  }

  function remove(items: TestItemCollection | undefined, key: string): void {
    const item = items?.get(key);
    if (item) {
      forget(item);
      items?.delete(key);
    }
  }

  function forget(item: TestItem): void {
    known.delete(item);
    if (byKey.get(item.id) === item) {
      byKey.delete(item.id);
    }
    item.children.forEach(forget);
  }

  function shift(found: TreeChanges): void {
    for (const [item, it] of known) {
      const changed = shifted(it, item.parent?.id ?? null, found);
      if (Object.keys(changed).length > 0) {
        describe(item, { ...it, ...changed }, changed);
      }
    }
  }

  function change({ parent, ...changed }: TreeChanges['changed'][number]): void {
    const items = childrenOf(parent);
    const item = items?.get(changed.key);
    const before = item && known.get(item);
    if (items && item && before && (changed.uri === undefined || changed.uri === before.uri)) {
      describe(item, { ...before, ...changed }, changed);
    } else if (items) {
      const children = item ? [...item.children].map(([, it]) => known.get(it)).filter((it) => it !== undefined) : [];
      const depth = parent === null ? 0 : controller.items.get(parent) ? 1 : 2;
      add(items, { ...before, ...changed, children } as Runnable, depth);
    }
  }

  /** Asks for a part at a time, so that the first evals of a large workspace are there at once. */
  async function update(): Promise<void> {
    for (let more = true; more; ) {
      const found = await server.request<TreeChanges>('waza/tests', { since: version, most: MOST_EVALS });
      if (!found) {
        return;
      }
      version = 0; // If applying it fails, the next update brings the whole tree.
      apply(found);
      ({ version, more = false } = found);
    }
  }

  function apply(found: TreeChanges): void {
    if (found.items) {
      const keys = new Set(found.items.map(({ key }) => key));
      [...controller.items].filter(([key]) => !keys.has(key)).forEach(([key]) => remove(controller.items, key));
      for (const [index, it] of found.items.entries()) {
        remove(controller.items, it.key);
        add(controller.items, { ...it, index }, 0);
      }
      shown(found.items.flatMap(({ children }) => children), tree);
      return;
    }
    found.removed.forEach(({ parent, key }) => remove(childrenOf(parent), key));
    shift(found);
    found.changed.forEach(change);
    const judged = found.changed.filter(({ verdict }) => verdict).map(({ key }) => tree.find(key));
    const items = judged.filter((it) => it !== undefined);
    shown(items.map(withChildren).filter((it) => it !== undefined), tree);
  }

  function withChildren(item: TestItem): Runnable | undefined {
    const it = known.get(item);
    const children = [...item.children].map(([, child]) => known.get(child)).filter((one) => one !== undefined);
    return it && { ...it, children };
  }

  const tree: TestTree = {
    load() {
      // An update that has failed does not keep the next one from coming.
      loading = loading.catch(() => {}).then(update);
      return loading;
    },
    reset: () => void (version = 0),
    find: (key) => byKey.get(key),
    noteLive: (item) => void live.add(item),
    about: (item) => known.get(item),
    covers: (file) => [...known.values()].some(({ uri }) => Uri.parse(uri).toString() === file.toString()),
  };
  return tree;
}
