import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '../src/operations/index.js';
import { Chain, emptyState } from '../src/chain/chain.js';
import { MemoryBlockStore } from '../src/chain/memory-block-store.js';
import type { BlockStore } from '../src/chain/ports.js';
import { signatureBackend } from '../src/crypto/signature.js';
import type { AppliedOperation } from '../src/operations/define.js';
import { signedBlock } from '../src/protocol/block.js';
import { VOID_RESULT } from '../src/protocol/results.js';
import type { ChainState } from '../src/state/chain-state.js';
import { accountObject } from '../src/state/objects/account.js';
import { assetObject } from '../src/state/objects/asset.js';
import { fbaAccumulatorObject } from '../src/state/objects/fba-accumulator.js';
import { BlockLog } from '../src/storage/block-log.js';
import { LogBlockStore } from '../src/storage/block-store.js';
import { nodeFiles } from '../src/storage/files.js';
import { JOURNAL_START, OperationJournal } from '../src/storage/journal/operation-journal.js';
import { JOURNAL } from '../src/storage/log-kind.js';
import { testEngine } from '../test/support/engine.js';
import { ThreadTime } from '../test/support/thread-time.js';
import { witnessKey, worldGenesis } from '../test/support/world-genesis.js';
import type { Ratio } from './fixtures/ratios.js';

/**
 * What the operation journal costs the thread: a maintenance that pays out very often, with a journal and without; an
 * operation from the moment it is applied to the file; the longest time for which the writing holds the thread.
 * Wanted: at most 50 ms for 100,000 payments, 1 µs per operation, 5 µs per call of a contract by another one.
 */

type Print = (row: string[]) => void;
const PAYMENTS = { small: 2_000, full: 100_000 };
const ROUNDS = { small: 1, full: 9 };

const genesis = worldGenesis({ witnesses: 1, parameters: { maintenance_interval: 86_400 } });
const threadTime = ThreadTime.open();
/** Of the main thread where the system tells it: other work of the machine says nothing about ours. */
const now = (): number => threadTime?.now() ?? Number(process.hrtime.bigint()) / 1e6;
/** What it can be; the rest is the collector's and the machine's. */
const least = (list: readonly number[]): number => Math.min(...list);
const ms = (value: number): string => `${value.toFixed(1)} ms`;
const us = (value: number): string => `${value.toFixed(2)} µs`;

/** Every accumulator pays the buyback account of an asset and its issuer. */
function fill(state: ChainState, payments: number): void {
  const issuer = state.get(accountObject, 1);
  const id = state.nextInstance(assetObject);
  const special = [1, { asset: id, num_top_holders: 3 }] as const;
  state.modify(accountObject, issuer, (o) => {
    o.owner_special_authority = structuredClone(special) as typeof o.owner_special_authority;
    o.active_special_authority = structuredClone(special) as typeof o.active_special_authority;
    o.top_n_control_flags = 3;
  });
  const { id: _, ...like } = structuredClone(state.get(assetObject, 1));
  const options = { ...like.options, issuer_permissions: 0, flags: 0 };
  state.create(assetObject, { ...like, symbol: 'SHARES', issuer: issuer.id, buyback_account: 2, options });
  for (let i = 0; i < payments / 2; i++) {
    state.create(fbaAccumulatorObject, { accumulated_fba_fees: 10_000n, designated_asset: id });
  }
}

/** The first block always ends a maintenance interval. */
function maintain(blocks: BlockStore, payments: number): number {
  const state = emptyState(genesis);
  const chain = new Chain({ genesis, engine: testEngine(), blocks, state });
  fill(state, payments);
  const { queries } = chain;
  const key = witnessKey('init0');
  let told = 0;
  chain.blocks.subscribe((event) => {
    if (event.kind === 'applied') told = event.operations.length;
  });
  const started = now();
  chain.blocks.produce({
    when: queries.slotTime(1),
    witness: queries.scheduledWitness(1),
    signer: { publicKey: key.publicKey, sign: (digest) => signatureBackend().sign(digest, key) },
  });
  const elapsed = now() - started;
  if (told !== payments) throw new Error(`${told} of ${payments} payments were made`);
  return elapsed;
}

/** The longest time in which nobody else had a turn. */
async function longestTurn(work: Promise<void>): Promise<number> {
  let longest = 0;
  let isDone = false;
  let last = now();
  const look = (): void => {
    longest = Math.max(longest, now() - last);
    last = now();
    if (!isDone) setImmediate(look);
  };
  setImmediate(look);
  await work;
  isDone = true;
  return Math.max(longest, now() - last);
}

/** Gives the share that is left with a journal of the speed without one. */
async function maintenance(print: Print, folder: string, payments: number, rounds: number): Promise<number> {
  const [without, with_, written, turns]: number[][] = [[], [], [], []];
  for (let round = 0; round < rounds; round++) {
    without?.push(maintain(new MemoryBlockStore(), payments));
    const path = join(folder, `maintenance-${round}`);
    const log = new BlockLog(nodeFiles, join(path, 'blocks'), genesis.chainId);
    const segments = new BlockLog(nodeFiles, join(path, 'journal'), genesis.chainId, JOURNAL);
    const journal = new OperationJournal(segments, JOURNAL_START);
    with_?.push(maintain(new LogBlockStore(log, journal), payments));
    const started = now();
    turns?.push(await longestTurn(journal.write(1)));
    written?.push(now() - started);
    log.close();
    segments.close();
  }
  const [a, b] = [least(without as number[]), least(with_ as number[])];
  const label = `${payments} payments at a maintenance`;
  print([`${label}: without a journal`, ms(a)]);
  print([`${label}: with a journal`, ms(b), `${ms(b - a)} longer, wanted at most 50`]);
  print([
    `${label}: written in the background`,
    ms(least(written as number[])),
    `longest turn ${ms(least(turns as number[]))}`,
  ]);
  return a / b;
}

const payment = (i: number): AppliedOperation => ({
  operation: [44, { fee: { amount: 0n, asset_id: 1 }, account_id: i, fba_id: 2, amount: 1000n } as never],
  result: VOID_RESULT,
  transaction: 0,
  index: 1,
  isVirtual: true,
});

const call = (i: number): AppliedOperation => ({
  operation: [
    79,
    {
      fee: { amount: 0n, asset_id: 1 },
      sender_contract: 100,
      contract_id: i,
      amount: undefined,
      method_name: 1234567890123n,
      data: new Uint8Array(40),
      extensions: [],
    } as never,
  ],
  result: VOID_RESULT,
  transaction: 3,
  index: 0,
  isVirtual: true,
});

/** From the moment it is applied to the file, all of it on the thread. */
async function each(
  folder: string,
  name: string,
  make: (i: number) => AppliedOperation,
  count: number,
): Promise<number> {
  const segments = new BlockLog(nodeFiles, join(folder, name), genesis.chainId, JOURNAL);
  const journal = new OperationJournal(segments, JOURNAL_START);
  const perBlock = 500;
  const blocks = Array.from({ length: Math.ceil(count / perBlock) }, (_, i) => {
    const operations = Array.from({ length: perBlock }, (__, j) => make(j));
    return { number: i + 1, id: `${(i + 1).toString(16).padStart(8, '0')}${'0'.repeat(32)}`, operations };
  });
  const block = signedBlock.default();
  const started = process.cpuUsage();
  for (const { number, id, operations } of blocks) journal.take({ number, id, block }, operations);
  await journal.write(blocks.length);
  const { user, system } = process.cpuUsage(started);
  segments.close();
  return (user + system) / (blocks.length * perBlock);
}

export async function run(print: Print, size: 'small' | 'full', ratio: Ratio): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-journal-'));
  const rounds = ROUNDS[size];
  try {
    ratio('a maintenance with a journal', await maintenance(print, folder, PAYMENTS[size], rounds));
    for (const [name, make, wanted] of [
      ['payment', payment, 1],
      ['call of a contract by another one', call, 5],
    ] as const) {
      const costs: number[] = [];
      for (let i = 0; i < rounds; i++) costs.push(await each(folder, `${name}-${i}`, make, PAYMENTS[size]));
      print([`a ${name}, from applied to written`, us(least(costs)), `wanted at most ${wanted}`]);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
