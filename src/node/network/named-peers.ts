import type { Cancel, Clock, Logger } from '../../base/world.js';
import type { EndpointText } from '../../p2p/wire/endpoint.js';
import type { Resolved } from './resolve.js';

/** What a name is for: a seed is connected to once, a kept peer always. */
export type NameUse = 'seed' | 'kept';

export interface NamedPeersParts {
  readonly clock: Clock;
  readonly log: Logger;
  resolve(name: string): Promise<Resolved>;
  found(endpoint: EndpointText, use: NameUse): void;
  fail(error: unknown): void;
}

/** Names that had no address are tried again. */
export const RESOLVE_MS = 60_000;

/** Peers that are known by name: handed on as soon as the name has an address. What is wrong is said once, not each time. */
export class NamedPeers {
  readonly #p: NamedPeersParts;
  readonly #waiting = new Map<string, { readonly use: NameUse; said: string }>();
  #cancel: Cancel = () => undefined;
  #isStopped = false;

  constructor(parts: NamedPeersParts) {
    this.#p = parts;
  }

  add(name: string, use: NameUse): void {
    this.#waiting.set(name, { use, said: '' });
    this.#look([name]);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #look(names: readonly string[]): void {
    for (const name of names) this.#try(name).catch((error: unknown) => this.#p.fail(error));
    this.#cancel();
    this.#cancel = this.#p.clock.after(RESOLVE_MS, () => this.#look([...this.#waiting.keys()]));
  }

  async #try(name: string): Promise<void> {
    const found = await this.#p.resolve(name);
    const waiting = this.#waiting.get(name);
    if (this.#isStopped || waiting === undefined) return;
    const { use, said } = waiting;
    if (found.endpoint !== undefined) {
      this.#waiting.delete(name);
      if (said !== '') this.#p.log.info('a peer has an address now', { peer: name, address: found.endpoint });
      this.#p.found(found.endpoint, use);
    } else if (said !== found.why) {
      waiting.said = found.why;
      this.#p.log.warn('a peer has no address; it is looked for again every minute', { peer: name, reason: found.why });
    }
    if (this.#waiting.size === 0) this.#cancel();
  }
}
