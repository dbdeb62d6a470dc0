/** The open files: their editors, what is saved of them, and what happens when they change on disk. */

import { EditorState, Text } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

import { readFile, Refusal, writeFile, writeLast } from '../api.ts';
import { toUri } from '../logic/paths.ts';
import { Observable } from '../observable.ts';
import { session, tell } from '../studio.ts';
import { keep, kept } from './kept.ts';

const SAVE_AFTER_MS = 1000;

export type SaveState = 'saved' | 'edited' | 'saving' | 'conflict' | 'refused';

export class OpenFile {
  readonly uri: string;
  readonly state = new Observable<SaveState>('saved');
  view!: EditorView;
  private timer = 0;
  private saving: Promise<void> | null = null;
  /** The text that is being saved. */
  private underWay: string | undefined;

  constructor(
    readonly path: string,
    /** The text on disk as the page knows it. */
    private disk: Text,
    private version: string,
    private readonly lineEnd: string,
  ) {
    this.uri = toUri(session.value?.root_uri ?? '', path);
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  get isEdited(): boolean {
    return !this.view.state.doc.eq(this.disk);
  }

  /** The unsaved text, for a reload of the page. */
  get unsaved(): { text: string; version: string } | null {
    return this.isEdited ? { text: this.text, version: this.version } : null;
  }

  edited(): void {
    if (this.state.value !== 'conflict') {
      this.state.value = this.isEdited ? 'edited' : 'saved';
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.save(), SAVE_AFTER_MS);
    }
    documents.keep();
  }

  /** Save the file; while another save is going on, after it. */
  async save(): Promise<void> {
    clearTimeout(this.timer);
    while (this.saving !== null) {
      await this.saving;
    }
    if (this.isEdited && this.state.value !== 'conflict') {
      this.saving = this.write().finally(() => (this.saving = null));
      await this.saving;
    }
  }

  /** Save without waiting: the page is being left. */
  leave(): void {
    if (this.isEdited && this.state.value !== 'conflict') {
      writeLast(this.path, this.textFor(this.view.state.doc), this.version, this.underWay).catch(() => undefined);
    }
  }

  private textFor(doc: Text): string {
    return doc.sliceString(0, doc.length, this.lineEnd);
  }

  private async write(): Promise<void> {
    const doc = this.view.state.doc;
    this.state.value = 'saving';
    this.underWay = this.textFor(doc);
    try {
      const { version } = await writeFile(this.path, this.underWay, this.version);
      this.disk = doc;
      this.version = version;
      this.state.value = this.isEdited ? 'edited' : 'saved';
      documents.saved(this);
    } catch (error) {
      const isConflict = error instanceof Refusal && error.status === 409;
      this.state.value = isConflict ? 'conflict' : 'refused';
      if (!isConflict) {
        tell(`${this.path} is not saved. ${(error as Error).message}`, 'error');
      }
    }
    this.underWay = undefined;
    documents.keep();
  }

  /** Look at the file on disk: take its text if nothing is unsaved, else say that there are two. */
  async lookAtDisk(): Promise<void> {
    const before = this.version;
    const found = await readFile(this.path).catch(() => null);
    // If the page has saved meanwhile, the text that was read is an old one.
    if (found === null || found.version === this.version || this.version !== before || this.saving !== null) {
      return;
    }
    if (this.isEdited) {
      this.state.value = 'conflict';
    } else {
      this.take(found.text, found.version);
    }
  }

  /** End a conflict with the text on disk. */
  async takeDisk(): Promise<void> {
    try {
      const { text, version } = await readFile(this.path);
      this.take(text, version);
    } catch (error) {
      tell((error as Error).message, 'error');
    }
  }

  /** End a conflict with the text of the page. */
  async takeOwn(): Promise<void> {
    this.version = (await readFile(this.path).catch(() => ({ version: '' }))).version;
    this.state.value = 'edited';
    await this.save();
  }

  private take(text: string, version: string): void {
    this.disk = textOf(text);
    this.version = version;
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: this.disk } });
    this.state.value = 'saved';
    documents.keep();
  }
}

function textOf(text: string): Text {
  return Text.of(text.split(/\r\n?|\n/));
}

type MakeView = (file: OpenFile, doc: Text) => EditorView;

class Documents {
  readonly open = new Observable<readonly OpenFile[]>([]);
  readonly active = new Observable<OpenFile | null>(null);
  makeView: MakeView = () => new EditorView();
  onSaved: (file: OpenFile) => void = () => undefined;
  private readonly opening = new Map<string, Promise<OpenFile>>();

  find(path: string): OpenFile | undefined {
    return this.open.value.find((it) => it.path === path);
  }

  /** Open a file, and show it. */
  async show(path: string, position?: { line: number; character?: number }): Promise<OpenFile> {
    const file = await this.load(path);
    this.active.value = file;
    if (position !== undefined) {
      const doc = file.view.state.doc;
      const line = doc.line(Math.min(Math.max(position.line, 0) + 1, doc.lines));
      const anchor = Math.min(line.from + (position.character ?? line.text.search(/\S|$/)), line.to);
      file.view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    }
    this.keep();
    requestAnimationFrame(() => file.view.focus());
    return file;
  }

  /** Show a file, or say why it cannot be opened. */
  goTo(path: string, position?: { line: number; character?: number }): Promise<unknown> {
    return this.show(path, position).catch((error: Error) => tell(error.message, 'error'));
  }

  /** Open a file in the background. */
  load(path: string, unsaved?: { text: string; version: string }): Promise<OpenFile> {
    const known = this.find(path);
    if (known !== undefined) {
      return Promise.resolve(known);
    }
    const begun = this.opening.get(path) ?? this.read(path, unsaved).finally(() => this.opening.delete(path));
    this.opening.set(path, begun);
    return begun;
  }

  private async read(path: string, unsaved?: { text: string; version: string }): Promise<OpenFile> {
    const { text, version, eol } = await readFile(path);
    const file = new OpenFile(path, textOf(text), version, eol ?? (text.includes('\r\n') ? '\r\n' : '\n'));
    file.view = this.makeView(file, textOf(unsaved?.text ?? text));
    if (unsaved !== undefined && file.isEdited) {
      file.state.value = unsaved.version === version ? 'edited' : 'conflict';
      file.edited();
    }
    this.open.value = [...this.open.value, file];
    return file;
  }

  async close(file: OpenFile): Promise<void> {
    await file.save();
    if (file.state.value === 'conflict' || file.state.value === 'refused') {
      return; // Its text is nowhere else.
    }
    const place = this.open.value.indexOf(file);
    this.open.value = this.open.value.filter((it) => it !== file);
    if (this.active.value === file) {
      this.active.value = this.open.value[Math.max(place - 1, 0)] ?? null;
    }
    file.view.destroy();
    this.keep();
  }

  saveAll(): Promise<unknown> {
    return Promise.all(this.open.value.map((it) => it.save()));
  }

  saved(file: OpenFile): void {
    this.onSaved(file);
  }

  keep(): void {
    const unsaved = this.open.value.flatMap((it) => (it.unsaved === null ? [] : [[it.path, it.unsaved] as const]));
    keep({
      open: this.open.value.map((it) => it.path),
      active: this.active.value?.path ?? '',
      line: this.active.value === null ? 0 : lineOf(this.active.value.view.state),
      unsaved: Object.fromEntries(unsaved),
    });
  }

  /** Open again what was open before the page was loaded again. */
  async restore(first: string): Promise<void> {
    const { open = [], active = '', line = 0, unsaved = {} } = kept();
    await Promise.all(open.map((it) => this.load(it, unsaved[it]).catch(() => undefined)));
    this.open.value = [...this.open.value].sort((a, b) => open.indexOf(a.path) - open.indexOf(b.path));
    const path = this.find(active)?.path ?? this.open.value[0]?.path ?? first;
    if (path !== '') {
      await this.goTo(path, active === path ? { line } : undefined);
    }
  }
}

function lineOf(state: EditorState): number {
  return state.doc.lineAt(state.selection.main.head).number - 1;
}

export const documents = new Documents();
