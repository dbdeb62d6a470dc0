/** Work that is not begun again while it goes on. Pure. */

/** Return a function that begins the work, or gives the promise of the work that has not ended yet. */
export function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  return () => {
    current ??= work().finally(() => {
      current = undefined;
    });
    return current;
  };
}
