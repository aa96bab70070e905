import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GenesisSource, readGenesis } from '../../src/chain/genesis-source.js';
import { addressOfKey, addressToText } from '../../src/crypto/address.js';
import { blockKeyOf, keyOf } from '../fuzz/chain/keys.js';
import { FUNDED, NAMED, WITNESSES } from '../fuzz/chain/scene.js';
import { balances } from '../fuzz/chain/world.js';
import { STACK_SIZE } from '../runner/stack-size.js';
import { YOUNG_SPACE } from '../runner/young-space.js';
import { COLLECT_FLAGS, collectGarbage, heldBytes, metricOf } from '../support/measured-process.js';
import { NETWORK } from '../support/network.js';
import { NodeProcess } from '../support/node-process.js';
import { accountKey, CORE_SYMBOL, worldGenesisBytes } from '../support/world-genesis.js';

export const BLOCK_SEC = 3;
/** Witnesses that a node may leave to attackers, who have their keys: their slots stay empty. */
export const ABSENT: readonly number[] = [WITNESSES - 1, WITNESSES];
/** Nobody who attacks has its key. */
export const HONEST = 'honest-client';
const HONEST_FUNDS = 100_000_000_000_000n;
/** What grows without end meets it. */
const HEAP_LIMIT = '--max-old-space-size=768';
const STOP_MS = 30_000;
const LAST_WORDS = 6000;

export type TransportName = 'uws' | 'node-http';

/** The world of the chain fuzz with all rules of today, which begins now. */
function genesisBytes(): Uint8Array {
  const now = Math.floor(Date.now() / 1000);
  const honest = addressToText(addressOfKey(accountKey(HONEST).publicKey), NETWORK.keyPrefix);
  return worldGenesisBytes({
    witnesses: WITNESSES,
    accounts: Object.fromEntries([...FUNDED, ...NAMED, HONEST].map((name) => [name, 0n])),
    time: now - (now % (5 * BLOCK_SEC)),
    fees: true,
    parameters: { block_interval: BLOCK_SEC, maintenance_interval: 10 * BLOCK_SEC, witness_pay_per_block: 1000 },
    genesis: {
      initial_balances: [...balances(), { owner: honest, asset_symbol: CORE_SYMBOL, amount: HONEST_FUNDS.toString() }],
      immutable_parameters: { min_committee_member_count: 3, min_witness_count: 11 },
    },
  });
}

/** A node of its own that makes all blocks of a fresh private chain and listens on this machine alone. */
export class Target {
  readonly process: NodeProcess;
  readonly genesis: GenesisSource;
  plain = '';
  monitor = '';

  /** `absent`: witnesses that it does not speak for. */
  constructor(folder: string, transport: TransportName, absent: readonly number[] = []) {
    const bytes = genesisBytes();
    const file = join(folder, 'genesis.json');
    writeFileSync(file, bytes);
    this.genesis = readGenesis(bytes);
    const witnesses = Array.from({ length: WITNESSES }, (_, i) => `init${i}`);
    for (const name of [...FUNDED, ...NAMED]) keyOf(name);
    // A witness may change to its second key: the node has both.
    const keys = witnesses.flatMap((name) => [blockKeyOf(name), blockKeyOf(`${name} second`)]);
    this.process = new NodeProcess(
      [
        ...['start', '--data-dir', join(folder, 'data'), '--genesis-json', file, '--rpc-transport', transport],
        ...['--rpc-endpoint', '127.0.0.1:0', '--monitor-endpoint', '127.0.0.1:0', '--enable-stale-production', 'true'],
        ...witnesses
          .map((_, i) => i + 1)
          .filter((id) => !absent.includes(id))
          .flatMap((id) => ['--witness-id', `1.6.${id}`]),
        ...keys.flatMap((key) => ['--private-key', key.toWif()]),
      ],
      [STACK_SIZE, YOUNG_SPACE, HEAP_LIMIT, ...COLLECT_FLAGS],
    );
  }

  async open(): Promise<void> {
    const found = await this.process.until(/rpc listens +plain=(\S+) monitor=(\S+)/);
    [this.plain, this.monitor] = [found[1] as string, found[2] as string];
    await this.process.until(/chain +block +num=1 /);
  }

  get port(): number {
    return Number(this.plain.split(':')[1]);
  }

  get isAlive(): boolean {
    return this.process.child.exitCode === null && this.process.child.signalCode === null;
  }

  get lastWords(): string {
    return [this.process.stdout, this.process.stderr].map((text) => text.slice(-LAST_WORDS)).join('\n');
  }

  /** What it said of errors of its own. */
  get bugs(): string[] {
    return this.process.stderr.split('\n').filter((line) => /met a bug|error of its own|production is off/.test(line));
  }

  /** After its garbage is collected: what it really holds, and what the system has given it. */
  async memory(): Promise<{ held: number; resident: number }> {
    await collectGarbage(this.process);
    const status = `/proc/${this.process.child.pid}/status`;
    let resident: number;
    try {
      resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1]) * 1024;
    } catch {
      resident = await metricOf(this.monitor, 'process_resident_memory_bytes');
    }
    return { held: await heldBytes(this.monitor), resident };
  }

  /** Undefined when it ended by itself with code 0, else how it ended and what it said last. */
  async stop(): Promise<string | undefined> {
    this.process.kill('SIGTERM');
    const killer = setTimeout(() => this.process.kill('SIGKILL'), STOP_MS);
    const { code } = await this.process.finished;
    clearTimeout(killer);
    if (code === 0) return undefined;
    return `code ${code}, killed after ${STOP_MS / 1000} s if it was still there; it said last:\n${this.lastWords}`;
  }
}
