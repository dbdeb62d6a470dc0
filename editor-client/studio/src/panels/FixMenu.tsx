/** The menu of fixes at the cursor. */

import { useLayoutEffect, useRef } from 'preact/hooks';
import type { CodeAction, Command } from 'vscode-languageserver-types';

import { perform } from '../commands.ts';
import { menu } from '../lsp/quickFixes.ts';
import { useValue } from '../observable.ts';

export function FixMenu() {
  const shown = useValue(menu);
  const list = useRef<HTMLDivElement>(null);
  // Before the next key: it belongs to the menu.
  useLayoutEffect(() => {
    list.current?.querySelector('button')?.focus();
  }, [shown]);
  if (shown === null) {
    return null;
  }
  const { view, left, top, actions } = shown;
  const close = () => {
    menu.value = null;
    view.focus();
  };
  const choose = (action: CodeAction | Command) => {
    close();
    void perform(view, action);
  };
  const key = (event: KeyboardEvent) => {
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (event.key === 'Escape' || event.key === 'Tab') {
      close();
    } else if (step !== 0) {
      buttons[(at + step + buttons.length) % buttons.length]?.focus();
    } else {
      return;
    }
    event.preventDefault();
  };
  return (
    <div class="shade" onClick={close}>
      <div
        ref={list}
        class="menu"
        role="menu"
        aria-label="Fixes"
        tabIndex={-1}
        style={{ left: `${Math.min(left, innerWidth - 420)}px`, top: `${Math.min(top, innerHeight - 40 - 30 * Math.max(actions.length, 1))}px` }}
        onKeyDown={key}
        onClick={(event) => event.stopPropagation()}
      >
        {actions.length === 0 && <button type="button" role="menuitem" onClick={close}>Nothing to fix here</button>}
        {actions.map((it, index) => (
          <button key={index} type="button" role="menuitem" class={'isPreferred' in it && it.isPreferred ? 'preferred' : ''} onClick={() => choose(it)}>
            {it.title}
          </button>
        ))}
      </div>
    </div>
  );
}
