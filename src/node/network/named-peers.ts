import type { Cancel, Clock, Logger } from '../../base/world.js';
import type { EndpointText } from '../../p2p/wire/endpoint.js';
import type { Resolved } from './resolve.js';

/** What a name is for: a seed is connected to once, a kept peer always. */
export type NameUse = 'seed' | 'kept';

export interface NamedPeersParts {
  readonly clock: Clock;
  readonly log: Logger;
  resolve(name: string): Promise<Resolved>;
  /** Whether the peer at the address that its name had last is still to be found. */
  isMissing(endpoint: EndpointText, use: NameUse): boolean;
  /** `before`: an address that was kept for this name, and for no other one. */
  found(endpoint: EndpointText, use: NameUse, before: EndpointText | undefined): void;
  fail(error: unknown): void;
}

/** Names that had no address, or whose peer is missing, are looked up again. */
export const RESOLVE_MS = 60_000;

interface Named {
  readonly use: NameUse;
  /** Why it had no address, as it was said. */
  said: string;
  endpoint: EndpointText | undefined;
}

/**
 * Peers that are known by name: handed on as soon as the name has an address, and again when it has another one, which
 * that of a container has after each start. What is wrong is said once, not each time.
 */
export class NamedPeers {
  readonly #p: NamedPeersParts;
  readonly #named = new Map<string, Named>();
  #cancel: Cancel = () => undefined;
  #isStopped = false;

  constructor(parts: NamedPeersParts) {
    this.#p = parts;
  }

  /** Whoever keeps a peer does so too when it is named as a seed besides. */
  add(name: string, use: NameUse): void {
    const known = this.#named.get(name);
    this.#named.set(name, { use: known?.use === 'kept' ? 'kept' : use, said: '', endpoint: known?.endpoint });
    this.#look([name], true);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #look(names: readonly string[], isAsked: boolean): void {
    for (const name of names) this.#try(name, isAsked).catch((error: unknown) => this.#p.fail(error));
    this.#cancel();
    this.#cancel = this.#p.clock.after(RESOLVE_MS, () => this.#look(this.#due(), false));
  }

  #due(): string[] {
    return [...this.#named]
      .filter(([, { endpoint, use }]) => endpoint === undefined || this.#p.isMissing(endpoint, use))
      .map(([name]) => name);
  }

  /** `isAsked`: whoever names it wants it to be dialed now, known or not. */
  async #try(name: string, isAsked: boolean): Promise<void> {
    const found = await this.#p.resolve(name);
    const named = this.#named.get(name);
    if (this.#isStopped || named === undefined) return;
    const { log } = this.#p;
    if (found.endpoint === undefined) {
      if (named.said === found.why) return;
      named.said = found.why;
      log.warn('a peer has no address; it is looked for again every minute', { peer: name, reason: found.why });
      return;
    }
    const { endpoint: before, said, use } = named;
    const isOther = before !== undefined && before !== found.endpoint;
    named.said = '';
    named.endpoint = found.endpoint;
    if (isOther) log.info('a peer has another address now', { peer: name, address: found.endpoint, before });
    else if (said !== '') log.info('a peer has an address now', { peer: name, address: found.endpoint });
    if (before === found.endpoint && !isAsked) return;
    this.#p.found(found.endpoint, use, isOther && !this.#isKept(before) ? before : undefined);
  }

  #isKept(endpoint: EndpointText): boolean {
    return [...this.#named.values()].some((one) => one.use === 'kept' && one.endpoint === endpoint);
  }
}
