import { appendFileSync, existsSync, readFileSync } from 'node:fs';

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
  | { readonly kind: 'done'; readonly n: number };

export class Journal {
  readonly #file: string;
  readonly entries: Entry[] = [];

  constructor(file: string) {
    this.#file = file;
    if (!existsSync(file)) return;
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      // The last line of a run that was killed may be half a line.
      if (line.endsWith('}')) this.entries.push(JSON.parse(line) as Entry);
    }
  }

  write(entry: Entry): void {
    this.entries.push(entry);
    appendFileSync(this.#file, `${JSON.stringify(entry)}\n`);
  }
}
