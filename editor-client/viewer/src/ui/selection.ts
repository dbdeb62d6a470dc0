/** The text that is selected in the page, and where it is. */

import type { Origin } from '../drafts.ts';

/** The selected text, and the file in which it is selected. */
export function selectedOrigin(root: HTMLElement): Pick<Origin, 'selected' | 'path'> {
  const selection = root.ownerDocument.getSelection();
  const node = selection?.anchorNode;
  if (!selection || selection.isCollapsed || !node || !root.contains(node)) {
    return {};
  }
  const element = node instanceof Element ? node : node.parentElement;
  const path = element?.closest<HTMLElement>('[data-path]')?.dataset['path'];
  return { selected: selection.toString(), ...(path !== undefined && { path }) };
}
