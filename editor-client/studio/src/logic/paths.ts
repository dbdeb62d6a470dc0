/** Paths of the folder and the URIs by which the language server knows them. Pure. */

/** The URI of a path in the folder, written as Python's `Path.as_uri` writes it. */
export function toUri(root: string, path: string): string {
  const quoted = (part: string) =>
    encodeURIComponent(part).replace(/[!'()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`);
  return `${root.replace(/\/$/, '')}/${path.split('/').map(quoted).join('/')}`;
}

/** The path in the folder that a URI names, or null for a file elsewhere. */
export function toPath(root: string, uri: string): string | null {
  const start = `${plain(root).replace(/\/$/, '')}/`;
  const whole = plain(uri);
  return whole.startsWith(start) && !whole.slice(start.length).split('/').includes('..') ? whole.slice(start.length) : null;
}

export function sameUri(one: string, other: string): boolean {
  return one === other || plain(one) === plain(other);
}

function plain(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The language that the server is told for a file. */
export function languageOf(path: string): string {
  const name = nameOf(path).toLowerCase();
  const ending = name.slice(name.lastIndexOf('.') + 1);
  const known: Record<string, string> = { yaml: 'yaml', yml: 'yaml', md: 'markdown', py: 'python', json: 'json' };
  return known[ending] ?? 'plaintext';
}
