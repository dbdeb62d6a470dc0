/** Which files the right pane shows: those after the selected step, against the step before, the start, or the other trial. */

import { useMemo } from 'preact/hooks';

import type { Mark } from '../marks.ts';
import type { Opened } from '../opened.ts';
import { doubt, filesAfter, type Files } from '../workspace.ts';
import { WorkspaceView } from './workspace_view.tsx';

interface Props {
  readonly opened: Opened;
  readonly other: Opened | undefined;
  readonly step: number;
  readonly otherStep: number;
  readonly base: string;
  readonly onBase: (base: string) => void;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly onFile: (path: string) => void;
  readonly onMark: (mark: Mark) => void;
  readonly onMakeCheck: ((path: string) => void) | undefined;
}

const NO_MARKS: readonly Mark[] = [];

/** Checks point into files as they were at the end: their lines fit only where a file is that already. */
function marksAt({ trial, marks }: Opened, files: Files): readonly Mark[] {
  const end = filesAfter(trial.workspace, Infinity);
  return marks.filter(({ target }) => target?.kind === 'file' && files.get(target.path) === end.get(target.path));
}

export function FilesPane({ opened, other, step, otherStep, ...rest }: Props) {
  const { workspace } = opened.trial;
  const files = useMemo(() => filesAfter(workspace, step), [workspace, step]);
  const before = useMemo(() => filesAfter(workspace, step - 1), [workspace, step]);
  const start = useMemo(() => filesAfter(workspace, -1), [workspace]);
  const others = useMemo(() => (other ? filesAfter(other.trial.workspace, otherStep) : undefined), [other, otherStep]);
  const bases = others
    ? [
        { id: 'other', label: 'Left and right', files },
        { id: 'start', label: 'Since the start', files: start },
      ]
    : [
        { id: 'before', label: 'This step', files: before },
        { id: 'start', label: 'Since the start', files: start },
      ];
  const isAgainst = others !== undefined && rest.base !== 'start';
  return (
    <WorkspaceView
      {...rest}
      title={isAgainst ? 'Files, left to right' : `Files after step ${step}`}
      files={isAgainst ? others : files}
      bases={bases}
      touched={opened.changes.get(step) ?? []}
      uncaptured={workspace.uncaptured}
      note={doubt(workspace, step)}
      marks={isAgainst && other ? marksAt(other, others) : marksAt(opened, files)}
      marksBefore={isAgainst ? marksAt(opened, files) : NO_MARKS}
    />
  );
}
