/** Messages and questions of the server, in a corner of the page. */

import { useEffect, useRef } from 'preact/hooks';

import { documents } from '../editor/documents.ts';
import { useValue } from '../observable.ts';
import { type Question, questions } from '../studio.ts';

const SHOWN_MS = 12_000;

export function Questions() {
  const all = useValue(questions);
  return (
    <div class="questions" role="region" aria-label="Messages" aria-live="polite">
      {all.map((it) => (
        <One key={it.message} question={it} />
      ))}
    </div>
  );
}

function One({ question: { severity, message, answers, isServers, answer } }: { question: Question }) {
  const whole = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The page asks after a click or a key of the user. A server may ask while somebody types.
    // Not a button gets the focus: the key that has brought the question might answer it.
    if (answers.length > 0 && !isServers) {
      whole.current?.focus();
    }
    // What wants an answer, or says that something failed, stays.
    if (answers.length === 0 && severity === 'info') {
      const timer = setTimeout(() => answer(null), SHOWN_MS);
      return () => clearTimeout(timer);
    }
    return undefined;
  }, []);
  const close = (chosen: string | null) => {
    const hadFocus = whole.current?.contains(document.activeElement);
    answer(chosen);
    if (hadFocus) {
      documents.active.value?.view.focus();
    }
  };
  return (
    <div
      ref={whole}
      class={`question ${severity}`}
      role={answers.length > 0 ? 'alertdialog' : 'status'}
      aria-label="Message"
      tabIndex={-1}
      onKeyDown={(event) => event.key === 'Escape' && close(null)}
    >
      <p>{message}</p>
      <button type="button" class="close" aria-label="Close the message" onClick={() => close(null)}>
        ×
      </button>
      {answers.length > 0 && (
        <div class="answers">
          {answers.map((it, index) => (
            <button key={it} type="button" class={index === 0 ? 'first' : ''} onClick={() => close(it)}>
              {it}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
