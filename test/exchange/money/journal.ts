import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';

/** What a run has done, line by line, so that the next one in the same folder goes on where it was ended. */

export type Entry =
  | {
      readonly kind: 'begun';
      /** Balances by account id. */
      readonly before: Readonly<Record<string, string>>;
      readonly block: number;
    }
  /** Written before anybody gets the body: whatever becomes of it, it is looked for at the end. */
  | {
      readonly kind: 'asked';
      readonly n: number;
      readonly key: string;
      readonly product: number;
      readonly body: string;
    }
  | { readonly kind: 'refused'; readonly key: string; readonly code: string }
  | { readonly kind: 'taken'; readonly key: string; readonly id: string }
  | { readonly kind: 'seen'; readonly key: string; readonly result: string }
  | { readonly kind: 'done'; readonly n: number }
  /** A promise that was seen broken, by a buyer. */
  | { readonly kind: 'broken'; readonly problem: string }
  /** An exchange has told that blocks of its node were undone. */
  | { readonly kind: 'undone' }
  /** Something went wrong, on purpose. */
  | { readonly kind: 'fault'; readonly what: string };

export class Journal {
  readonly #file: string;
  readonly entries: Entry[] = [];

  constructor(file: string) {
    this.#file = file;
    if (!existsSync(file)) return;
    const bytes = readFileSync(file);
    // The last line of a run that was killed may be half a line, to which nothing may be added.
    const length = bytes.lastIndexOf('\n') + 1;
    truncateSync(file, length);
    for (const line of bytes.toString('utf8', 0, length).split('\n')) {
      if (line !== '') this.entries.push(JSON.parse(line) as Entry);
    }
  }

  write(entry: Entry): void {
    this.entries.push(entry);
    appendFileSync(this.#file, `${JSON.stringify(entry)}\n`);
  }
}
