/** Messages and questions of the server, in a corner of the page. */

import { useEffect } from 'preact/hooks';

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

function One({ question: { severity, message, answers, answer } }: { question: Question }) {
  useEffect(() => {
    // What wants an answer, or says that something failed, stays.
    if (answers.length === 0 && severity === 'info') {
      const timer = setTimeout(() => answer(null), SHOWN_MS);
      return () => clearTimeout(timer);
    }
    return undefined;
  }, []);
  return (
    <div class={`question ${severity}`} role={answers.length > 0 ? 'alertdialog' : 'status'} aria-label="Message">
      <p>{message}</p>
      <button type="button" class="close" aria-label="Close the message" onClick={() => answer(null)}>
        ×
      </button>
      {answers.length > 0 && (
        <div class="answers">
          {answers.map((it, index) => (
            <button key={it} type="button" class={index === 0 ? 'first' : ''} onClick={() => answer(it)}>
              {it}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
