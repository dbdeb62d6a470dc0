/** Numbers and values as people read them. */

export function duration(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined || !Number.isFinite(milliseconds)) {
    return '';
  }
  if (milliseconds < 1000) {
    return `${Math.round(milliseconds)} ms`;
  }
  const seconds = milliseconds / 1000;
  if (seconds < 100) {
    return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  }
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${whole % 60} s`;
}

export function amount(count: number): string {
  if (count < 10_000) {
    return String(count);
  }
  return count < 1_000_000 ? `${(count / 1000).toFixed(count < 100_000 ? 1 : 0)} k` : `${(count / 1_000_000).toFixed(1)} M`;
}

export function rounded(value: number): string {
  return String(Number(value.toPrecision(3)));
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${amount(count)} ${count === 1 ? one : many}`;
}

/** A value of a call or a check, as text: strings as they are, everything else as JSON. */
export function asText(value: unknown): string {
  if (value === null || value === undefined) {
    return '';
  }
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** A call's result as text. Results of MCP tools are lists of parts, of which people read the texts. */
export function resultText(result: unknown): string {
  const parts = isRecord(result) ? (result['content'] ?? result['text'] ?? result['output'] ?? result) : result;
  if (Array.isArray(parts) && parts.length > 0 && parts.every((it) => isRecord(it) && typeof it['text'] === 'string')) {
    return parts.map((it: Record<string, unknown>) => it['text']).join('\n');
  }
  return asText(isRecord(result) && Object.keys(result).length > 1 ? result : parts);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Characters that are not seen, or that change the order in which others are. */
const UNSEEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Surrogate}/gu;

/** The text with such characters as their numbers: what an agent wrote cannot look like something else. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The lines without the indentation that all of them have. */
export function dedented(text: string): string {
  const lines = text.split('\n');
  const indents = lines.filter((it) => it.trim() !== '').map((it) => it.length - it.trimStart().length);
  const least = Math.min(...indents.slice(0, 1000), Infinity);
  return lines.map((it) => it.slice(Math.min(least, it.length - it.trimStart().length))).join('\n');
}

/** The first line of a text, cut after so many characters. */
export function firstLine(text: string, most = 160): string {
  const line = text.slice(0, most * 4).trimStart().split(/\r?\n/, 1)[0] ?? '';
  return line.length > most ? `${line.slice(0, most).trimEnd()}…` : line;
}
