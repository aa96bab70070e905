import * as fs from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { ChainError, check, defineErrors } from '../../base/errors.js';
import type { Logger } from '../../base/world.js';
import type { ChainEvent } from '../../chain/events.js';
import { objectOf } from '../../protocol/objects/declare.js';
import { ChangeTracker, idOf } from '../../rpc/objects/change-tracker.js';
import type { ChainPort } from '../../rpc/ports.js';
import type { Change } from '../../state/object-db.js';
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
    this.#stop = this.#chain.listen((event) => this.#follow(event, log));
  }

  /** Called by the chain, which has its block whether this file can be written or not. */
  #follow(event: ChainEvent, log: Logger): void {
    try {
      this.#take(event);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      log.error('the stream of changed objects ends here, its file is not complete', { reason: error.message });
    }
  }

  #take(event: ChainEvent): void {
    const changes = this.#changes;
    if (changes === undefined) return;
    if (event.kind === 'applied') {
      this.#line({ bn: event.block.number });
      this.#write(event.changes());
      changes.applied(event.changes);
    } else if (event.kind === 'amended') this.#write(event.changes());
    else if (event.kind === 'undone') changes.undone(event.changed);
    else if (event.kind === 'settled') {
      this.#write(changes.rewound());
      changes.forget();
    }
  }

  #write(changes: readonly Change[]): void {
    const isThere = ({ value }: Change): boolean => value !== undefined;
    for (const { definition, value } of changes.filter(isThere)) {
      this.#line(objectOf(definition).toJson(value as NonNullable<typeof value>, this.#chain.state.network));
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
