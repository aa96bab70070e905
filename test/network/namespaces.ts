import { execFileSync } from 'node:child_process';
import { isTogether, type Links } from './links.js';

/**
 * A network namespace for every node, with an address of its own and the protocol's usual port; all hang on one bridge. A
 * cut is a route to nowhere: bytes get lost without a word, as on a broken line, and connections stay half open.
 */

const PORT = 6789;
const ADDRESS_BITS = 24;
let networks = 0;

function ip(...words: string[]): string {
  return execFileSync('ip', words, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
}

/** For what need not be there, or is in use at the moment. */
function attempt(...words: string[]): string {
  try {
    return ip(...words);
  } catch {
    return '';
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Names say which process has made them; `rest` is what follows its number. */
const ownerOf = (name: string, rest: RegExp): number | undefined => {
  const [, pid, more] = /^tn(\d+)(x.*)$/.exec(name) ?? [];
  return pid !== undefined && rest.test(more ?? '') ? Number(pid) : undefined;
};

/** Nothing runs when a process is killed: what networks of dead processes have left is cleared away by the next one. */
export function removeLeftovers(): void {
  const namesOf = (text: string): string[] => text.split('\n').flatMap((line) => /tn\d+x[\d-]+/.exec(line)?.[0] ?? []);
  const isLeft = (name: string, rest: RegExp): boolean => {
    const owner = ownerOf(name, rest);
    return owner !== undefined && !isRunning(owner);
  };
  for (const space of namesOf(attempt('netns', 'list'))) {
    if (!isLeft(space, /^x\d+-\d+$/)) continue;
    for (const pid of attempt('netns', 'pids', space).split('\n').filter(Boolean)) process.kill(Number(pid), 'SIGKILL');
    attempt('netns', 'delete', space);
  }
  for (const bridge of namesOf(attempt('-o', 'link', 'show', 'type', 'bridge'))) {
    if (isLeft(bridge, /^x\d+$/)) attempt('link', 'delete', bridge);
  }
}

/** Why this machine has none, in one line; undefined where it has. */
export function whyNoNamespaces(): string | undefined {
  const name = `tn-try-${process.pid}`;
  try {
    ip('netns', 'add', name);
    ip('netns', 'delete', name);
    ip('link', 'add', name, 'type', 'bridge');
    ip('link', 'delete', name);
    return undefined;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: Buffer };
    return (stderr?.toString() || message).trim().split('\n')[0];
  }
}

export class NamespaceLinks implements Links {
  readonly kind = 'namespaces';
  readonly canLearn = true;
  readonly #nodes: number;
  readonly #name: string;
  readonly #subnet: string;
  #isClosed = false;
  /** Pairs whose packets get lost: `from to`. */
  readonly #lost = new Set<string>();
  readonly #closeAtExit = (): void => this.#remove();

  constructor(nodes: number) {
    this.#nodes = nodes;
    // Process numbers of several networks at a time differ; so do their names and, nearly always, their addresses.
    const network = process.pid + 4096 * networks;
    this.#name = `tn${process.pid}x${networks++}`;
    this.#subnet = `10.${128 + (network % 127)}.${(network >> 7) % 256}`;
    removeLeftovers();
    process.once('exit', this.#closeAtExit);
    try {
      ip('link', 'add', this.#name, 'type', 'bridge');
      ip('address', 'add', `${this.#subnet}.254/${ADDRESS_BITS}`, 'dev', this.#name);
      ip('link', 'set', this.#name, 'up');
      for (let node = 0; node < nodes; node++) this.#add(node);
    } catch (error) {
      this.#remove();
      throw error;
    }
  }

  #space(node: number): string {
    return `${this.#name}-${node}`;
  }

  #add(node: number): void {
    const space = this.#space(node);
    ip('netns', 'add', space);
    ip('link', 'add', space, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space);
    ip('link', 'set', space, 'master', this.#name, 'up');
    ip('-n', space, 'address', 'add', `${this.hostOf(node)}/${ADDRESS_BITS}`, 'dev', 'eth0');
    ip('-n', space, 'link', 'set', 'eth0', 'up');
    ip('-n', space, 'link', 'set', 'lo', 'up');
  }

  through(node: number): readonly string[] {
    return ['ip', 'netns', 'exec', this.#space(node)];
  }

  hostOf(node: number): string {
    return `${this.#subnet}.${node + 1}`;
  }

  listen(node: number): string {
    return `${this.hostOf(node)}:${PORT}`;
  }

  async opened(): Promise<void> {}

  endpoint(_from: number, to: number): string {
    return this.listen(to);
  }

  async cut(groups: readonly (readonly number[])[]): Promise<void> {
    for (let from = 0; from < this.#nodes; from++) {
      for (let to = 0; to < this.#nodes; to++) {
        if (from !== to) this.#route(from, to, isTogether(groups, from, to));
      }
    }
  }

  async heal(): Promise<void> {
    await this.cut([Array.from({ length: this.#nodes }, (_, node) => node)]);
  }

  #route(from: number, to: number, isOpen: boolean): void {
    const pair = `${from} ${to}`;
    if (isOpen !== this.#lost.has(pair)) return;
    ip('-n', this.#space(from), 'route', isOpen ? 'delete' : 'add', 'blackhole', this.hostOf(to));
    if (isOpen) this.#lost.delete(pair);
    else this.#lost.add(pair);
  }

  async close(): Promise<void> {
    this.#remove();
  }

  /** Also what a start that failed has left half done: what is not there cannot be deleted, and need not be. */
  #remove(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    process.off('exit', this.#closeAtExit);
    for (let node = 0; node < this.#nodes; node++) attempt('netns', 'delete', this.#space(node));
    for (let node = 0; node < this.#nodes; node++) attempt('link', 'delete', this.#space(node));
    attempt('link', 'delete', this.#name);
  }
}
