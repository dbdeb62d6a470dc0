/** Shows the steps of the last run of an item in the Testing view. */

import { commands, type Disposable, type TestItem } from 'vscode';

import type { TestTree } from './testTree';

/** The Testing view gives an item, or a message with its item. */
export function traceOfTest(tree: TestTree): Disposable {
  return commands.registerCommand('waza.showTraceOfTest', async (given?: TestItem | { test: TestItem }) => {
    const item = given && 'test' in given ? given.test : given;
    for (let at = item; at; at = at.parent) {
      const about = tree.about(at);
      if (about && about.kind !== 'grader') {
        const task = about.kind === 'task' ? { task: about.id } : {};
        // A task may be in a file of its own; its eval is the item above.
        await commands.executeCommand('waza.showTrace', { uri: about.uri, ...task });
        return;
      }
    }
  });
}
