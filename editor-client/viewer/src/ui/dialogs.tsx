/** The dialogs: keys, and drafted checks. */

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { Draft, Host } from '../trace.ts';

export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) {
        before.focus({ preventScroll: true });
      }
    };
  }, []);
  return (
    <dialog ref={element} aria-label={title} onClose={onClose}>
      <header>
        <h2>{title}</h2>
        <button type="button" onClick={() => element.current?.close()}>
          Close
        </button>
      </header>
      {children}
    </dialog>
  );
}

const KEYS: readonly (readonly [string, string])[] = [
  ['j, k', 'Next and previous step'],
  ['f, Shift+f', 'Next and previous failed check'],
  ['n, Shift+n', 'Next and previous difference of two trials'],
  ['d', 'Compare the files with the step before, or with the start'],
  ['/', 'Search the steps; Enter goes back to them'],
  ['Enter', 'Open or close the arguments and the result of a call'],
  ['[, ]', 'Previous and next trial'],
  ['t', 'Show or hide the list of trials'],
  ['c', 'Compare with another trial'],
  ['m', 'Make a check from the selected text or step'],
  ['y', 'Copy a link to the step'],
  ['?', 'This help'],
];

export function Help({ notices, onClose }: { notices: string; onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {KEYS.map(([keys, words]) => (
          <>
            <dt>
              {keys.split(', ').map((it, index) => (
                <>
                  {index > 0 && ' '}
                  <kbd>{it}</kbd>
                </>
              ))}
            </dt>
            <dd>{words}</dd>
          </>
        ))}
      </dl>
      {notices !== '' && (
        <details>
          <summary>Licences of the parts of this page</summary>
          <pre tabIndex={0}>{notices}</pre>
        </details>
      )}
    </Dialog>
  );
}

export function DraftDialog({ drafts, host, onClose, onCopy }: { drafts: readonly Draft[]; host: Host; onClose: () => void; onCopy: (text: string) => void }) {
  const [chosen, setChosen] = useState(0);
  const draft = drafts[chosen];
  return (
    <Dialog title="Make a check" onClose={onClose}>
      {draft === undefined ? (
        <p>Select a text in a message or in a file, or choose a call. Then make a check from it.</p>
      ) : (
        <>
          <div role="radiogroup" aria-label="What to check" class="drafts">
            {drafts.map((it, index) => (
              <label>
                <input type="radio" name="draft" checked={index === chosen} onChange={() => setChosen(index)} /> {it.about}
              </label>
            ))}
          </div>
          <pre class="yaml" tabIndex={0} aria-label="The drafted grader">
            {draft.yaml}
          </pre>
          <p class="quiet">Add it to the list of graders of the task. Then grade the recorded trials again: that runs no agent.</p>
          <div class="buttons">
            <button type="button" class="primary" onClick={() => onCopy(draft.yaml)}>
              Copy
            </button>
            {host.makeCheck && (
              <button
                type="button"
                onClick={() => {
                  host.makeCheck?.(draft);
                  onClose();
                }}
              >
                Add to the eval
              </button>
            )}
          </div>
        </>
      )}
    </Dialog>
  );
}
