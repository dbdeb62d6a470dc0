/** Where the cursor is, for the outline and the status bar. */

import { Observable } from '../observable.ts';

export const cursor = new Observable<{ readonly path: string; readonly offset: number }>({ path: '', offset: 0 });
