/** Repeats work after changes: only while it is wanted, one at a time, and at most once in a pause. Knows no editor. */

const pauseMs = 1000;

export interface Paced {
  /** Something has changed: do the work as soon as it may be done. */
  changed(): void;
  /** It may be wanted again: do the work if something has changed since. */
  resume(): void;
}

/** Nobody hears of a failure of `work`: the next change repeats it. */
export function paced(work: () => Promise<void>, isWanted: () => boolean): Paced {
  let isDue = false;
  let isBusy = false;
  const resume = async (): Promise<void> => {
    if (isDue && !isBusy && isWanted()) {
      isDue = false;
      isBusy = true;
      const pause = new Promise((resolve) => setTimeout(resolve, pauseMs));
      await Promise.allSettled([work(), pause]);
      isBusy = false;
      await resume();
    }
  };
  return {
    changed: () => {
      isDue = true;
      void resume();
    },
    resume: () => void resume(),
  };
}
