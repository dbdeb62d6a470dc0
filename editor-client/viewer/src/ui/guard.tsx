/** Shows a sentence where data of another shape than expected cannot be shown, instead of an empty page. */

import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';

export function Guard({ children }: { children: ComponentChildren }) {
  const [error] = useErrorBoundary() as [unknown, () => void];
  if (error === undefined) {
    return <>{children}</>;
  }
  return (
    <p class="nothing" role="alert">
      The trial cannot be shown: {error instanceof Error ? error.message : String(error)}
    </p>
  );
}
