import { isIP } from 'node:net';
import { ChainError } from '../base/errors.js';
import { AddressSet, countedAs, isInside, isLoopback } from './addresses.js';
import { HTTP_ERRORS } from './errors.js';

/** Who sends a request, as far as the connection and its first lines can tell. */
export interface Caller {
  /** Of the client; behind a trusted proxy the one that the proxy names. */
  readonly address: string;
  /** What limits by address count it as: one customer of an IPv6 network has more addresses than could be counted. */
  readonly countedAs: string;
  /** On this machine, with nobody in between that says so: limits by address do not hold for it. */
  readonly isLocal: boolean;
  /** A page in a browser. It is not the user who has opened it. */
  readonly isPage: boolean;
  /** A page whose origin the operator has not named: it may read and send transactions, and no more. */
  readonly isForeignPage: boolean;
  /** A page that this server itself has sent to a browser on its machine, without anybody in between. */
  readonly isOwnPage: boolean;
  /** Came over the socket in the data directory, which only the node's own user can open. */
  readonly isOperator: boolean;
}

/** Somebody somewhere, who may do what everybody may. */
export function anyCaller(address: string): Caller {
  return {
    address,
    countedAs: countedAs(address),
    isLocal: false,
    isPage: false,
    isForeignPage: false,
    isOwnPage: false,
    isOperator: false,
  };
}

export const OPERATOR: Caller = { ...anyCaller(''), isLocal: true, isOperator: true };

/** What a transport reads of a request for this. Several headers of one name come joined by commas. */
export interface CallerFacts {
  /** Address of the other end of the connection. */
  readonly remote: string;
  /** Header by lower-case name; empty when absent. */
  header(name: string): string;
}

/** What proxies add. */
const FORWARDING = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'] as const;

export interface CallerOptions {
  readonly trustedProxies: readonly string[];
  /** As `Origin` headers write them. */
  readonly origins: readonly string[];
  /** Names under which clients reach this server, besides addresses and localhost. */
  readonly hostNames: readonly string[];
  /** Name of the option that gives them, for whoever is refused. */
  readonly hostNameOption: string;
}

const NO_OPTIONS: CallerOptions = { trustedProxies: [], origins: [], hostNames: [], hostNameOption: 'host-name' };

export class CallerRules {
  readonly #proxies: AddressSet;
  readonly #origins: ReadonlySet<string>;
  readonly #hostNames: ReadonlySet<string>;
  readonly #hostNameOption: string;

  constructor(options: Partial<CallerOptions> = {}) {
    const { trustedProxies, origins, hostNames, hostNameOption } = { ...NO_OPTIONS, ...options };
    this.#proxies = new AddressSet(trustedProxies);
    this.#origins = new Set(origins.map((origin) => origin.toLowerCase().replace(/\/$/, '')));
    this.#hostNames = new Set(hostNames.map(nameOfHost));
    this.#hostNameOption = hostNameOption;
  }

  callerOf(facts: CallerFacts): Caller {
    const { remote } = facts;
    const isForwarded = FORWARDING.some((name) => facts.header(name) !== '');
    const origin = facts.header('origin');
    const site = facts.header('sec-fetch-site');
    const isPage = origin !== '' || (site !== '' && site !== 'none');
    const address = isForwarded && this.#proxies.has(remote) ? this.#named(facts) : remote;
    const isLocal = !isForwarded && isLoopback(remote);
    return {
      address,
      countedAs: countedAs(address),
      isLocal,
      isPage,
      isForeignPage: isPage && !this.#origins.has(origin.toLowerCase()),
      isOwnPage: isLocal && isOwnOrigin(origin, facts.header('host')),
      isOperator: false,
    };
  }

  /** The last one in the chain that is no proxy of ours: what stands before it is the client's own word. */
  #named(facts: CallerFacts): string {
    const chain = facts.header('x-forwarded-for');
    const standard = facts.header('forwarded');
    // One of them may be the client's and not the proxy's; nobody knows which.
    if ((chain === '') === (standard === '')) return facts.remote;
    const addresses = chain === '' ? forwardedFor(standard) : chain.split(',').map(bareAddress);
    let named = facts.remote;
    for (const address of addresses.reverse()) {
      if (isIP(address) === 0) return named;
      named = address;
      if (!this.#proxies.has(address)) return named;
    }
    return named;
  }

  /** Why a request is refused for the host that it names: the answer's status and error. */
  refusalOfHost(facts: CallerFacts, listensOn: string): [status: number, error: ChainError] | undefined {
    if (facts.header('host') === '') return [400, new ChainError(HTTP_ERRORS.http_host_missing)];
    if (this.#allowsHost(facts, listensOn)) return undefined;
    return [403, new ChainError(HTTP_ERRORS.http_host, { option: this.#hostNameOption })];
  }

  /**
   * Whether a request may name this host. A page can give its own name the address of this machine: then the browser
   * takes the node for a part of the page's site, and the name is all that tells.
   */
  #allowsHost({ remote, header }: CallerFacts, listensOn: string): boolean {
    const name = nameOfHost(header('host'));
    if (name === '' || name === 'localhost' || name.endsWith('.localhost')) return true;
    if (isIP(name) !== 0 || this.#hostNames.has(name) || name === nameOfHost(listensOn)) return true;
    const isExposed = isInside(listensOn) || (isLoopback(remote) && !this.#proxies.has(remote));
    return this.#hostNames.size === 0 && !isExposed;
  }
}

/**
 * Whether a page comes from the address that it asks. A name can be given this machine's address by whoever owns it; an
 * address and `localhost` cannot, so that nobody else has sent such a page.
 */
function isOwnOrigin(origin: string, host: string): boolean {
  const name = nameOfHost(host);
  const isThisMachine = name === 'localhost' || isLoopback(name);
  return isThisMachine && (origin === `http://${host}` || origin === `https://${host}`);
}

/** Without port, brackets and the dot at the end. */
function nameOfHost(host: string): string {
  const found = /^\[([^\]]*)\](?::\d*)?$/.exec(host)?.[1];
  return (found ?? host.replace(/:\d*$/, '')).toLowerCase().replace(/\.$/, '');
}

/** Proxies write addresses with or without a port. */
function bareAddress(text: string): string {
  const one = text.trim().replace(/^"(.*)"$/, '$1');
  if (isIP(one) !== 0) return one;
  return /^\[([^\]]*)\](?::\d+)?$/.exec(one)?.[1] ?? one.replace(/:\d+$/, '');
}

function forwardedFor(header: string): string[] {
  return header.split(',').map((element) => {
    const pair = element.split(';').find((one) => /^\s*for\s*=/i.test(one));
    return pair === undefined ? '' : bareAddress(pair.slice(pair.indexOf('=') + 1));
  });
}
