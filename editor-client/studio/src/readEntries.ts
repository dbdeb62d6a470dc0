/** Reads the list of the folder's files. */

import { readTree } from './api.ts';
import { entries, isTruncated, tell } from './studio.ts';

export async function readEntries(): Promise<void> {
  try {
    const { entries: found, truncated = false } = await readTree();
    entries.value = found;
    isTruncated.value = truncated;
  } catch (error) {
    tell((error as Error).message, 'error');
  }
}
