/**
 * The script of a trace page: shows the page's own data, or what a host has put into `window.wazaTrace`. A host may also
 * put only itself there, and leave the data to the page.
 */

import { mount } from './mount.tsx';
import { hasBlocks, readBlocks } from './source.ts';
import type { Host, Source } from './trace.ts';

declare global {
  interface Window {
    wazaTrace?: Partial<Source> & { readonly host?: Host };
  }
}

const page: Host = {
  fragment: () => location.hash,
  onFragment(fragment) {
    try {
      history.replaceState(null, '', fragment);
    } catch {
      // A page in a sandboxed frame has no address that could change.
    }
  },
  listen(follow) {
    const changed = () => follow(location.hash);
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  },
  address: () => location.href.replace(/#.*/s, ''),
  keysFrom: () => document,
};

const given = window.wazaTrace;
const source = isSource(given) ? given : hasBlocks(document) ? readBlocks(document) : undefined;
if (source !== undefined) {
  const root = document.getElementById('waza-trace') ?? document.body.appendChild(document.createElement('div'));
  // They come last in the page, so they are read when they are shown.
  const notices = () => document.getElementById('waza-trace-notices')?.textContent ?? '';
  mount(root, source, { ...page, ...given?.host }, notices);
}

function isSource(it: Partial<Source> | undefined): it is Source {
  return it?.index !== undefined;
}
