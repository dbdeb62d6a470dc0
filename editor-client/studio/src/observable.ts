/** A value that panels follow. */

import { useEffect, useState } from 'preact/hooks';

export class Observable<T> {
  private readonly readers = new Set<(value: T) => void>();

  constructor(private current: T) {}

  get value(): T {
    return this.current;
  }

  set value(value: T) {
    this.current = value;
    for (const reader of [...this.readers]) {
      reader(value);
    }
  }

  follow(reader: (value: T) => void): () => void {
    this.readers.add(reader);
    return () => this.readers.delete(reader);
  }
}

export function useValue<T>(source: Observable<T>): T {
  const [value, setValue] = useState(source.value);
  useEffect(() => {
    setValue(() => source.value);
    return source.follow((it) => setValue(() => it));
  }, [source]);
  return value;
}
