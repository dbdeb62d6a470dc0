/** Reads the data blocks of a page. A block is parsed when its trial is opened, not before. */

import type { Index, Source, Trial } from './trace.ts';

const INDEX = 'waza-trace-index';

export function hasBlocks(page: Document): boolean {
  return page.getElementById(INDEX) !== null;
}

export function readBlocks(page: Document): Source {
  const index = JSON.parse(page.getElementById(INDEX)?.textContent ?? '') as Index;
  return {
    index,
    async trial(place) {
      const block = await complete(page, `waza-trace-${place}`);
      if (block === undefined) {
        throw new Error('The page has no data of it.');
      }
      return JSON.parse(await textOf(block)) as Trial;
    },
    async recording(place) {
      const block = await complete(page, `waza-trace-recording-${place}`);
      return block && (JSON.parse(await textOf(block)) as unknown);
    },
  };
}

/** The viewer starts while the browser still reads the rest of a large page. A block is complete when something follows it. */
async function complete(page: Document, id: string): Promise<HTMLScriptElement | undefined> {
  for (;;) {
    const block = page.getElementById(id);
    const isRead = page.readyState !== 'loading';
    if (block instanceof HTMLScriptElement && (isRead || block.nextElementSibling !== null)) {
      return block;
    }
    if (isRead) {
      return undefined;
    }
    await new Promise((proceed) => setTimeout(proceed, 15));
  }
}

async function textOf(block: HTMLScriptElement): Promise<string> {
  return block.type.includes('gzip') ? unzipped(block.text) : block.text;
}

async function unzipped(base64: string): Promise<string> {
  const packed = Uint8Array.from(atob(base64.trim()), (it) => it.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).text();
}
