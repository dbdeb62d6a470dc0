/** A line between two panes that can be moved, by pointer and by keys. */

import { useRef, useState } from 'preact/hooks';

interface Props {
  readonly label: string;
  readonly variable: string;
  readonly initial: number;
  readonly isVertical: boolean;
}

/** Sets a CSS variable of its parent to the share, in percent, that is before the line. */
export function Splitter({ label, variable, initial, isVertical }: Props) {
  const [share, setShare] = useState(initial);
  const element = useRef<HTMLDivElement>(null);
  const move = (to: number) => {
    const next = Math.min(85, Math.max(15, Math.round(to * 10) / 10));
    setShare(next);
    element.current?.parentElement?.style.setProperty(variable, `${next}%`);
  };
  const back = isVertical ? 'ArrowLeft' : 'ArrowUp';
  const forth = isVertical ? 'ArrowRight' : 'ArrowDown';
  return (
    <div
      ref={element}
      class={`splitter ${isVertical ? 'is-vertical' : ''}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={isVertical ? 'vertical' : 'horizontal'}
      aria-valuemin={15}
      aria-valuemax={85}
      aria-valuenow={Math.round(share)}
      onKeyDown={(event) => {
        if (event.key === back || event.key === forth) {
          event.preventDefault();
          move(share + (event.key === back ? -3 : 3));
        }
      }}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        const box = event.currentTarget.parentElement?.getBoundingClientRect();
        if (box !== undefined && event.currentTarget.hasPointerCapture(event.pointerId)) {
          move(isVertical ? ((event.clientX - box.left) / box.width) * 100 : ((event.clientY - box.top) / box.height) * 100);
        }
      }}
    />
  );
}
