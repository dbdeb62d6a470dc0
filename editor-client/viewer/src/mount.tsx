/** Shows traces in an element. The page does it with its own blocks, the studio with its server's. */

import { render } from 'preact';

import type { Opened } from './opened.ts';
import type { Host, Source } from './trace.ts';
import './ui/unseen.ts';
import { App } from './ui/app.tsx';
import { PrintView } from './ui/print_view.tsx';

export type { Draft, Host, Index, Source, Trial } from './trace.ts';

/** Show the traces of `source` in `root`. Return how to take them away. */
export function mount(root: HTMLElement, source: Source, host: Host = {}, notices = () => ''): () => void {
  root.classList.add('waza-trace');
  root.replaceChildren();
  const screen = root.appendChild(document.createElement('div'));
  const paper = root.appendChild(document.createElement('div'));
  screen.className = 'screen';
  paper.className = 'paper';
  let shown: Opened | undefined;
  render(<App source={source} host={host} notices={notices} root={root} onShown={(it) => (shown = it)} />, screen);

  const print = matchMedia('print');
  const onPaper = () => render(shown ? <PrintView index={source.index} opened={shown} /> : null, paper);
  const offPaper = () => render(null, paper);
  const turn = () => (print.matches ? onPaper() : offPaper());
  addEventListener('beforeprint', onPaper);
  addEventListener('afterprint', offPaper);
  print.addEventListener('change', turn);
  return () => {
    removeEventListener('beforeprint', onPaper);
    removeEventListener('afterprint', offPaper);
    print.removeEventListener('change', turn);
    render(null, screen);
    render(null, paper);
    root.replaceChildren();
    root.classList.remove('waza-trace');
  };
}
