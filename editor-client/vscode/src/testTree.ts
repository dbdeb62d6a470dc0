/** The tree of evals with their tasks, and of experiments with their variants. The id of an item is the key that events name it by. */

import { Range, Uri, type TestController, type TestItem } from 'vscode';

import type { Runnable } from './protocol';
import type { Server } from './server';

export interface TestTree {
  /** Reloads the tree, for the suite of a file or as a whole. */
  load(uri?: string): Promise<void>;
  find(key: string): TestItem | undefined;
  /** The id of a task in commands. */
  taskId(item: TestItem): string | undefined;
}

export function testTree(controller: TestController, server: Server): TestTree {
  const ids = new WeakMap<TestItem, string>();
  const made = (it: Runnable, index: number): TestItem => {
    const item = controller.createTestItem(it.key, it.label, Uri.parse(it.uri));
    ids.set(item, it.id);
    item.range = toRange(it.range);
    // In the order of the file.
    item.sortText = String(index).padStart(6, '0');
    item.children.replace(it.children.filter(({ kind }) => kind !== 'grader').map(made));
    return item;
  };
  return {
    async load(uri) {
      const found = await server.request<Runnable[]>('waza/tests', uri === undefined ? {} : { uri });
      const [only] = found ?? [];
      const before = only && controller.items.get(only.key);
      if (uri !== undefined && only && before) {
        const item = made(only, 0);
        item.sortText = before.sortText ?? '';
        controller.items.add(item);
      } else if (found && uri === undefined) {
        controller.items.replace(found.map(made));
      } else if (found) {
        // An eval was added or removed.
        await this.load();
      }
    },
    find(key) {
      const roots = [...controller.items].map(([, root]) => root);
      return roots.find(({ id }) => id === key) ?? roots.map(({ children }) => children.get(key)).find(Boolean);
    },
    taskId: (item) => ids.get(item),
  };
}

export function toRange({ start, end }: Runnable['range']): Range {
  return new Range(start.line, start.character, end.line, end.character);
}
