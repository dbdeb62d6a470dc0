/**
 * The tree of evals with their tasks and graders, and of experiments with their variants. The id of an item is the key
 * that events name it by.
 */

import { TestTag, Uri, type TestController, type TestItem, type TestItemCollection } from 'vscode';

import type { Runnable } from './protocol';
import { toRange } from './ranges';
import type { Server } from './server';

export interface TestTree {
  /** Reloads the tree, for the suite of a file or as a whole. */
  load(uri?: string): Promise<void>;
  find(key: string): TestItem | undefined;
  /** What the server says about an item. */
  about(item: TestItem): Runnable | undefined;
  /** Whether a file has tests. */
  covers(file: Uri): boolean;
}

/** `shown` is called with the items of each answer, after the view has them. */
export function testTree(
  controller: TestController,
  server: Server,
  shown: (found: Runnable[], tree: TestTree) => void,
): TestTree {
  const known = new WeakMap<TestItem, Runnable>();

  /** Brings a list of items up to date. Items that stay keep their verdicts and cost VS Code nothing. */
  function update(items: TestItemCollection, wanted: Runnable[]): void {
    const keys = new Set(wanted.map(({ key }) => key));
    [...items].filter(([key]) => !keys.has(key)).forEach(([key]) => items.delete(key));
    const added: TestItem[] = [];
    wanted.forEach((it, index) => {
      const old = items.get(it.key);
      const item = old?.uri?.toString() === Uri.parse(it.uri).toString() ? old : create(it);
      if (item !== old) {
        added.push(item);
      }
      describe(item, it, index);
    });
    if (added.length === wanted.length) {
      items.replace(added);
    } else {
      added.forEach((it) => items.add(it));
    }
  }

  function create(it: Runnable): TestItem {
    return controller.createTestItem(it.key, it.label, Uri.parse(it.uri));
  }

  function describe(item: TestItem, it: Runnable, index: number): void {
    const before = known.get(item);
    known.set(item, it);
    if (before?.label !== it.label) {
      item.label = it.label;
    }
    if (JSON.stringify(before?.range) !== JSON.stringify(it.range)) {
      item.range = toRange(it.range);
    }
    if (String(before?.tags) !== String(it.tags)) {
      item.tags = (it.tags ?? []).map((tag) => new TestTag(tag));
    }
    // In the order of the file.
    const order = String(index).padStart(6, '0');
    if (item.sortText !== order) {
      item.sortText = order;
    }
    update(item.children, it.children);
  }

  const tree: TestTree = {
    async load(uri) {
      const found = await server.request<Runnable[]>('waza/tests', uri === undefined ? {} : { uri });
      const [only] = found ?? [];
      const before = only && controller.items.get(only.key);
      if (uri !== undefined && only && before) {
        describe(before, only, Number(before.sortText));
        shown([only], tree);
      } else if (found && uri === undefined) {
        update(controller.items, found);
        shown(found, tree);
      } else if (found) {
        // An eval was added or removed.
        await tree.load();
      }
    },
    find(key) {
      const direct = controller.items.get(key);
      const roots = direct ? [] : [...controller.items].map(([, root]) => root);
      return direct ?? roots.map(({ children }) => children.get(key)).find(Boolean);
    },
    about: (item) => known.get(item),
    covers(file) {
      const text = file.toString();
      const isOf = (it: TestItem): boolean => it.uri?.toString() === text;
      return [...controller.items].some(([, root]) => isOf(root) || [...root.children].some(([, it]) => isOf(it)));
    },
  };
  return tree;
}
