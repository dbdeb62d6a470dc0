/** The trace of a run. */

import { useValue } from '../observable.ts';
import { trace } from '../studio.ts';

export function Trace() {
  const place = useValue(trace);
  if (place === null) {
    return <p class="nothing">Open a run, or a failed check of the editor, to see its steps.</p>;
  }
  return <iframe class="page" title={`Report of run ${place.run}`} sandbox="" src={`/pages/report?run=${encodeURIComponent(place.run)}`} />;
}
