/** The audit of a task as a table: broken work down, graders across. Pure. */

import type { AuditedTask } from '../api.ts';

export type Cell = 'only' | 'notices' | 'blind';

export interface Row {
  readonly key: string;
  readonly label: string;
  readonly survives: boolean;
  readonly cells: readonly Cell[];
}

export function matrixOf(task: AuditedTask): { rows: Row[] } {
  const noticed = [...new Set(task.graders.flatMap((it) => it.notices))];
  const survivors: Row[] = task.survivors.map((it, index) => ({
    key: `survivor-${index}`,
    label: it.change,
    survives: true,
    cells: task.graders.map(() => 'blind' as const),
  }));
  const rows: Row[] = noticed.map((it) => ({
    key: it,
    label: it,
    survives: false,
    cells: task.graders.map((one) => (one.only_one_to_notice.includes(it) ? 'only' : one.notices.includes(it) ? 'notices' : 'blind')),
  }));
  return { rows: [...survivors, ...rows] };
}
