import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net';

/**
 * How the nodes of a local network reach each other, and how some of them are kept from that. Nodes are named by their
 * index, from 0 on.
 */
export interface Links {
  /** For people: what a cut does here. */
  readonly kind: 'direct' | 'proxies' | 'namespaces';
  /** Command that starts the program of a node; empty where nothing stands before it. */
  through(node: number): readonly string[];
  /** Address of the interface that the node's clients reach. */
  hostOf(node: number): string;
  /** Where the node is to listen for peers, at its first start. */
  listen(node: number): string;
  /** The node listens there now. */
  opened(node: number, endpoint: string): Promise<void>;
  /** Under which the one reaches the other; undefined where that is known only once it listens. */
  endpoint(from: number, to: number): string | undefined;
  /** Whether nodes tell each other of addresses; where a proxy stands between them they must not get around it. */
  readonly canLearn: boolean;
  /** Only nodes of one group reach each other. A node in no group is alone. */
  cut(groups: readonly (readonly number[])[]): Promise<void>;
  heal(): Promise<void>;
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const ANY_PORT = `${LOOPBACK}:0`;

/** True where a group holds both. */
export function isTogether(groups: readonly (readonly number[])[], one: number, other: number): boolean {
  return groups.some((group) => group.includes(one) && group.includes(other));
}

/** Sockets of this machine, nothing between them: these cannot be cut. */
export class DirectLinks implements Links {
  readonly kind = 'direct';
  readonly canLearn = true;
  readonly #endpoints = new Map<number, string>();

  through(): readonly string[] {
    return [];
  }

  hostOf(): string {
    return LOOPBACK;
  }

  listen(): string {
    return ANY_PORT;
  }

  async opened(node: number, endpoint: string): Promise<void> {
    this.#endpoints.set(node, endpoint);
  }

  endpoint(_from: number, to: number): string | undefined {
    return this.#endpoints.get(to);
  }

  cut(): Promise<void> {
    return Promise.reject(new Error('nodes that reach each other directly cannot be cut off'));
  }

  async heal(): Promise<void> {}

  async close(): Promise<void> {}
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

/** One way from one node to another one: a port of this process, and every connection that goes through it. */
class Passage {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  readonly #target: () => string | undefined;
  isOpen = true;

  constructor(target: () => string | undefined) {
    this.#target = target;
    this.#server = createServer({ noDelay: true }, (client) => this.#take(client));
  }

  async listen(): Promise<void> {
    this.#server.listen(0, LOOPBACK);
    await once(this.#server, 'listening');
  }

  get endpoint(): string {
    return `${LOOPBACK}:${(this.#server.address() as AddressInfo).port}`;
  }

  #take(client: Socket): void {
    const target = this.#target();
    // Whoever is cut off or gone does not answer.
    client.on('error', () => undefined);
    if (!this.isOpen || target === undefined) {
      client.destroy();
      return;
    }
    const [host, port] = target.split(':');
    const server = createConnection({ host: host as string, port: Number(port), noDelay: true });
    const pair: Pair = { client, server };
    this.#pairs.add(pair);
    const end = (): void => {
      this.#pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    server.on('error', end);
    for (const socket of [client, server]) socket.on('close', end);
    client.pipe(server);
    server.pipe(client);
  }

  cut(): void {
    this.isOpen = false;
    for (const { client } of [...this.#pairs]) client.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A port of this process for every pair of nodes: what is cut is hung up on and not let through. Needs no rights. */
export class ProxyLinks implements Links {
  readonly kind = 'proxies';
  readonly canLearn = false;
  readonly #endpoints = new Map<number, string>();
  readonly #passages = new Map<string, Passage>();

  static async open(nodes: number): Promise<ProxyLinks> {
    const links = new ProxyLinks();
    for (let from = 0; from < nodes; from++) {
      for (let to = 0; to < nodes; to++) {
        if (from === to) continue;
        const passage = new Passage(() => links.#endpoints.get(to));
        links.#passages.set(`${from} ${to}`, passage);
        await passage.listen();
      }
    }
    return links;
  }

  through(): readonly string[] {
    return [];
  }

  hostOf(): string {
    return LOOPBACK;
  }

  listen(): string {
    return ANY_PORT;
  }

  async opened(node: number, endpoint: string): Promise<void> {
    this.#endpoints.set(node, endpoint);
  }

  endpoint(from: number, to: number): string {
    const passage = this.#passages.get(`${from} ${to}`);
    if (passage === undefined) throw new Error(`there is no way from node ${from} to node ${to}`);
    return passage.endpoint;
  }

  async cut(groups: readonly (readonly number[])[]): Promise<void> {
    for (const [name, passage] of this.#passages) {
      const [from, to] = name.split(' ').map(Number) as [number, number];
      if (isTogether(groups, from, to)) passage.isOpen = true;
      else passage.cut();
    }
  }

  async heal(): Promise<void> {
    for (const passage of this.#passages.values()) passage.isOpen = true;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#passages.values()].map((passage) => passage.close()));
  }
}
