/** The text that is selected in the page, and where it is. */

import type { Origin } from '../drafts.ts';

export interface Selected extends Pick<Origin, 'selected' | 'path'> {
  /** The number of the step in which it is. */
  readonly n?: number;
}

/** The selected text, and the file or step in which it is selected. */
export function selectedOrigin(root: HTMLElement): Selected {
  const selection = root.ownerDocument.getSelection();
  const node = selection?.anchorNode;
  if (!selection || selection.isCollapsed || !node || !root.contains(node)) {
    return {};
  }
  const element = node instanceof Element ? node : node.parentElement;
  const path = element?.closest<HTMLElement>('[data-path]')?.dataset['path'];
  const n = element?.closest<HTMLElement>('[data-step]')?.dataset['step'];
  return { selected: selection.toString(), ...(path !== undefined && { path }), ...(n !== undefined && { n: Number(n) }) };
}
