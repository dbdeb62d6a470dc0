/** A list that renders only what is on the screen. Rows may have any height. */

import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core';
import type { ComponentChildren, HTMLAttributes } from 'preact';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';

export interface Jump {
  readonly index: number;
  readonly align?: 'start' | 'center' | 'auto';
}

interface Props {
  readonly count: number;
  readonly estimate: number;
  /** Pixels above the row that a jump leads to. */
  readonly headroom?: number;
  readonly keyOf: (index: number) => string | number;
  readonly row: (index: number) => ComponentChildren;
  /** Scrolls there whenever it is a new object. */
  readonly jump?: Jump | undefined;
  readonly attributes?: HTMLAttributes<HTMLDivElement>;
}

export function VirtualList({ count, estimate, headroom = 0, keyOf, row, jump, attributes }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const [, redraw] = useReducer((it: number) => it + 1, 0);
  const options: VirtualizerOptions<HTMLDivElement, HTMLDivElement> = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimate,
    getItemKey: keyOf,
    overscan: 6,
    scrollPaddingStart: headroom,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw(undefined),
  };
  const [list] = useState(() => new Virtualizer(options));
  list.setOptions(options);
  useLayoutEffect(() => list._didMount(), []);
  useLayoutEffect(() => list._willUpdate());
  useLayoutEffect(() => {
    if (jump !== undefined && jump.index >= 0 && jump.index < count) {
      list.scrollToIndex(jump.index, { align: jump.align ?? 'auto' });
    }
  }, [jump]);
  const items = list.getVirtualItems();
  return (
    <div {...attributes} ref={scroller} class={`scroller ${attributes?.class ?? ''}`}>
      <div class="sizer" style={{ height: `${list.getTotalSize()}px` }} role="presentation">
        {items.map((item) => (
          <div
            key={item.key}
            ref={(it) => list.measureElement(it)}
            data-index={item.index}
            class="placed"
            role="presentation"
            style={{ transform: `translateY(${item.start}px)` }}
          >
            {row(item.index)}
          </div>
        ))}
      </div>
    </div>
  );
}
