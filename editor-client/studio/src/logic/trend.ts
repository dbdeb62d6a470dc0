/** The line of a trend: scores from 0 to 1 as points of a small picture. Pure. */

export interface Dot {
  readonly x: number;
  readonly y: number;
}

export function dots(scores: readonly (number | null)[], width: number, height: number, margin: number): (Dot | null)[] {
  const step = scores.length > 1 ? (width - 2 * margin) / (scores.length - 1) : 0;
  const left = scores.length > 1 ? margin : width / 2;
  return scores.map((it, index) =>
    it === null ? null : { x: left + index * step, y: height - margin - Math.min(Math.max(it, 0), 1) * (height - 2 * margin) },
  );
}

/** The path through the points; a run without a score leaves a gap. */
export function pathThrough(points: readonly (Dot | null)[]): string {
  return points
    .map((it, index) => (it === null ? '' : `${index === 0 || points[index - 1] === null ? 'M' : 'L'}${it.x.toFixed(1)} ${it.y.toFixed(1)}`))
    .join('');
}
