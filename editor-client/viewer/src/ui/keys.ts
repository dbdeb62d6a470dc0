/** Keys of the viewer, while nothing is being typed. */

export function onKeys(target: HTMLElement | Document, command: (key: string) => (() => void) | undefined): () => void {
  const listen = (event: Event) => {
    if (!(event instanceof KeyboardEvent) || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) {
      return;
    }
    const from = event.target instanceof Element ? event.target : undefined;
    if (from?.closest('dialog')) {
      return;
    }
    if (from?.closest('input, textarea, select, [contenteditable]')) {
      // The browser clears a search at Escape; Enter keeps it.
      const leaves = event.key === 'Escape' || (event.key === 'Enter' && from.matches('[data-search]'));
      if (leaves && from instanceof HTMLElement) {
        from.blur();
      }
      return;
    }
    if (event.key === 'Enter' && from?.closest('button, a, summary')) {
      return;
    }
    const run = command(event.key);
    if (run !== undefined) {
      event.preventDefault();
      run();
    }
  };
  target.addEventListener('keydown', listen);
  return () => target.removeEventListener('keydown', listen);
}
