/** What a reload of this tab keeps. Another tab has its own. */

export interface Kept {
  root?: string;
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

/** Forget what another folder has left: the same port may serve one after the other. */
export function keepOnlyOf(root: string): void {
  if (kept().root !== root) {
    write({ root });
  }
}

export function keep(part: Kept): void {
  write({ ...kept(), ...part });
}

function write(all: Kept): void {
  try {
    sessionStorage.setItem(NAME, JSON.stringify(all));
  } catch {
    // Without room or permission, the page works; only a reload forgets.
  }
}
