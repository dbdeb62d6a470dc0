/** Numbers and times in words. Pure. */

export function score(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : value.toFixed(2);
}

export function percent(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : `${Math.round(value * 100)} %`;
}

export function signed(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : `${value > 0 ? '+' : value < 0 ? '−' : '±'}${Math.abs(value).toFixed(2)}`;
}

/** How long ago something was: "5 min ago", or the date for what is older than a week. */
export function ago(at: number, now: number): string {
  const seconds = Math.max(0, now - at);
  if (seconds < 60) {
    return 'just now';
  }
  if (seconds < 3600) {
    return `${Math.floor(seconds / 60)} min ago`;
  }
  if (seconds < 86_400) {
    return `${Math.floor(seconds / 3600)} h ago`;
  }
  if (seconds < 7 * 86_400) {
    return `${Math.floor(seconds / 86_400)} d ago`;
  }
  return new Date(at * 1000).toISOString().slice(0, 10);
}

/** The class of a comparison's verdict: the words themselves are the engine's. */
export function direction(verdict: string): 'better' | 'worse' | 'open' {
  return verdict === 'better' || verdict === 'worse' ? verdict : 'open';
}
