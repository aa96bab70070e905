import * as fs from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { ChainError, check, defineErrors } from '../../base/errors.js';
import type { Logger } from '../../base/world.js';
import { objectOf } from '../../protocol/objects/declare.js';
import { ChangeTracker, idOf } from '../../rpc/objects/change-tracker.js';
import type { ChainNotice, ChainPort, ChangedObject } from '../../rpc/ports.js';
import { guarded } from '../../storage/errors.js';

export const STREAM_ERRORS = defineErrors({
  debug_stream_path: { text: '${file} does not name a file below ${folder}' },
});

/** Streams are written here and nowhere else: whoever may ask for one must not overwrite other files. */
export const STREAM_FOLDER = 'debug';
/** Kept back before it is written. */
const CHARS_MAX = 64 * 1024;

/** Every change of an object as a JSON line, objects that are gone by their id, each block in front of its changes. */
export class ObjectStream {
  readonly #chain: ChainPort;
  readonly #folder: string;
  #changes: ChangeTracker | undefined;
  #descriptor: number | undefined;
  #path = '';
  #lines: string[] = [];
  #chars = 0;
  #stop: () => void = () => undefined;

  constructor(chain: ChainPort, dataDir: string) {
    this.#chain = chain;
    this.#folder = join(dataDir, STREAM_FOLDER);
  }

  /** An empty name ends the stream that is open; the log is told when it ends by itself. */
  open(file: string, log: Logger): void {
    if (file === '') {
      this.close();
      return;
    }
    const path = resolve(this.#folder, file);
    const inside = relative(this.#folder, path);
    const fits = inside !== '' && !inside.startsWith('..') && !isAbsolute(inside) && !file.includes('\0');
    check(fits, STREAM_ERRORS.debug_stream_path, { file, folder: this.#folder });
    // It may be the same file: what was kept back must not go into it behind the new beginning.
    this.flush();
    const descriptor = guarded(path, () => {
      fs.mkdirSync(dirname(path), { recursive: true });
      return fs.openSync(path, 'w', 0o644);
    });
    this.close();
    this.#descriptor = descriptor;
    this.#path = path;
    this.#changes = new ChangeTracker(this.#chain);
    this.#stop = this.#chain.listen((notice) => this.#follow(notice, log));
  }

  /** Called by the chain, which has its block whether this file can be written or not. */
  #follow(notice: ChainNotice, log: Logger): void {
    try {
      this.#take(notice);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      log.error('the stream of changed objects ends here, its file is not complete', { reason: error.message });
    }
  }

  #take(notice: ChainNotice): void {
    const changes = this.#changes;
    if (changes === undefined) return;
    if (notice.kind === 'applied') {
      this.#line({ bn: notice.block.number });
      this.#write(notice.changes());
      changes.applied(notice.changes);
    } else if (notice.kind === 'amended') this.#write(notice.changes());
    else if (notice.kind === 'undone') changes.undone(notice.changed);
    else if (notice.kind === 'settled') {
      this.#write(changes.rewound());
      changes.forget();
    }
  }

  #write(changes: readonly ChangedObject[]): void {
    const isThere = ({ object }: ChangedObject): boolean => object !== undefined;
    for (const { definition, object } of changes.filter(isThere)) {
      this.#line(objectOf(definition).toJson(object as NonNullable<typeof object>, this.#chain.state.network));
    }
    for (const gone of changes.filter((change) => !isThere(change))) this.#line({ id: idOf(gone) });
  }

  #line(value: unknown): void {
    const text = JSON.stringify(value);
    this.#lines.push(text);
    this.#chars += text.length;
    if (this.#chars >= CHARS_MAX) this.flush();
  }

  /** A file that lacks something gets nothing more: the stream ends with the first line that is lost. */
  flush(): void {
    const descriptor = this.#descriptor;
    if (descriptor === undefined || this.#lines.length === 0) return;
    const text = `${this.#lines.join('\n')}\n`;
    this.#lines = [];
    this.#chars = 0;
    try {
      guarded(this.#path, () => fs.writeFileSync(descriptor, text));
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  close(): void {
    this.flush();
    this.#end();
  }

  #end(): void {
    const descriptor = this.#descriptor;
    if (descriptor === undefined) return;
    this.#stop();
    this.#descriptor = undefined;
    this.#changes = undefined;
    guarded(this.#path, () => fs.closeSync(descriptor));
  }
}
