/** What a reload of this tab keeps. Another tab has its own. */

export interface Kept {
  open?: string[];
  active?: string;
  line?: number;
  unsaved?: Record<string, { text: string; version: string }>;
  panel?: string;
  trace?: { run: string; fragment: string };
  width?: number;
}

const NAME = 'waza-studio';

export function kept(): Kept {
  try {
    return (JSON.parse(sessionStorage.getItem(NAME) ?? '{}') ?? {}) as Kept;
  } catch {
    return {};
  }
}

export function keep(part: Kept): void {
  try {
    sessionStorage.setItem(NAME, JSON.stringify({ ...kept(), ...part }));
  } catch {
    // Without room or permission, the page works; only a reload forgets.
  }
}
