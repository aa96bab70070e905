import '../src/operations/index.js';
import { Chain, emptyState } from '../src/chain/chain.js';
import { VoteSums } from '../src/chain/maintenance/vote-sums.js';
import { MemoryBlockStore } from '../src/chain/memory-block-store.js';
import { signatureBackend } from '../src/crypto/signature.js';
import { emptyAuthority } from '../src/protocol/authority.js';
import { ALL_FORKS_ACTIVE } from '../src/protocol/forks.js';
import { ChainState } from '../src/state/chain-state.js';
import { accountObject } from '../src/state/objects/account.js';
import { accountBalanceObject } from '../src/state/objects/account-balance.js';
import { accountStatisticsObject } from '../src/state/objects/account-statistics.js';
import { dynamicGlobalPropertyObject } from '../src/state/objects/dynamic-global-property.js';
import { witnessObject } from '../src/state/objects/witness.js';
import { FOREVER } from '../src/state/rules/accounts.js';
import { adjustBalance } from '../src/state/rules/balances.js';
import { createAccount } from '../src/state/rules/new-account.js';
import { stateHash } from '../src/state/state-hash.js';
import { testEngine } from '../test/support/engine.js';
import { NETWORK } from '../test/support/network.js';
import { witnessKey, worldGenesis } from '../test/support/world-genesis.js';
import type { Ratio } from './fixtures/ratios.js';
import { timed } from './fixtures/stopwatch.js';
import { fill as fillTables } from './object-db.js';

/**
 * Maintenance with many accounts that all hold something and vote. The first one after a start counts all of them, the
 * next ones what has changed: here 10,000 accounts that have paid each other, voted anew and owe fees. Aim: 100 ms with
 * 1,000,000 voters of which 10,000 changed, and 0.3 µs of a transfer for noting who changed.
 */

type Print = (row: string[]) => void;
const SIZES = { small: [500, 1_000], full: [10_000, 100_000, 1_000_000] };
/** Accounts that have changed since the last maintenance. */
const CHANGED = { small: 100, full: 10_000 };
const ROUNDS = 5;
const CHANGES_TIMED = { small: 1_000, full: 1_000_000 };

const genesis = worldGenesis({ witnesses: 21, parameters: { maintenance_interval: 86_400 } });

function fill(state: ChainState, accounts: number): void {
  const votes = [...state.all(witnessObject)].map((witness) => witness.vote_id);
  const options = accountObject.schema.default().options;
  for (let i = 0; i < accounts; i++) {
    const account = createAccount(state, {
      name: `voter-${((i * 7919) % accounts).toString(36)}`,
      owner: emptyAuthority(1),
      active: emptyAuthority(1),
      membership_expiration_date: FOREVER,
      referrer: 6,
      registrar: 7,
      lifetime_referrer: 6,
      options: { ...options, votes: votes.slice(i % 21, (i % 21) + 5), num_witness: 0 },
    });
    adjustBalance(state, account.id, 1, 1_000n + BigInt(i));
  }
}

/** What blocks would do between two maintenances. */
function changeSome(state: ChainState, accounts: number, some: number): void {
  const votes = [...state.all(witnessObject)].map((witness) => witness.vote_id);
  const first = state.nextInstance(accountObject) - accounts;
  const apart = Math.floor(accounts / some);
  for (let i = 0; i < some; i++) {
    const account = state.get(accountObject, first + i * apart);
    adjustBalance(state, account.id, 1, 7n);
    state.edit(accountStatisticsObject, state.get(accountStatisticsObject, account.statistics)).pending_vested_fees =
      100_000n;
    if (i % 10 !== 0) continue;
    state.modify(accountObject, account, (o) => {
      o.options = { ...o.options, votes: votes.slice(i % 16, (i % 16) + 5) };
    });
  }
}

export function run(print: Print, size: 'small' | 'full', ratio: Ratio): void {
  const [fewer, most] = SIZES[size]
    .map((accounts) => ({ accounts, ...measure(print, accounts, CHANGED[size]) }))
    .slice(-2);
  if (fewer === undefined || most === undefined) throw new Error('it takes two sizes');
  ratio('a voter among many', fewer.first / fewer.accounts / (most.first / most.accounts));
  ratio('what has changed among many', fewer.later / most.later);
  noting(print, CHANGES_TIMED[size]);
}

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Milliseconds of the first maintenance, which begins from nothing, and of a later one. */
function measure(print: Print, accounts: number, some: number): { readonly first: number; readonly later: number } {
  const state = emptyState(genesis);
  let steps = new Map<string, number>();
  const observe = (step: string, work: () => void): void => {
    const started = nowMs();
    work();
    steps.set(step, (steps.get(step) ?? 0) + nowMs() - started);
  };
  const chain = new Chain({ genesis, engine: testEngine(), blocks: new MemoryBlockStore(), state, observe });
  fill(state, accounts);
  const { queries } = chain;
  /** A block in the first slot from which maintenance is due; the very first block is always one. */
  const maintenance = (): number => {
    steps = new Map();
    const due = state.single(dynamicGlobalPropertyObject).next_maintenance_time;
    let slot = 1;
    if (state.headNumber > 0) slot = Math.max(1, queries.slotAt(due));
    const witness = queries.scheduledWitness(slot);
    const key = witnessKey(`init${witness - 1}`);
    const started = nowMs();
    chain.blocks.produce({
      when: queries.slotTime(slot),
      witness,
      signer: { publicKey: key.publicKey, sign: (digest) => signatureBackend().sign(digest, key) },
    });
    return nowMs() - started;
  };
  const report = (what: string, ms: number, ...more: string[]): void => {
    const hash = chain.snapshots.withHeadState(stateHash).slice(0, 12);
    print([`${what}, ${accounts} voters`, `${ms.toFixed(0)} ms`, hash, ...more]);
    const slowest = [...steps].filter(([name]) => name.startsWith('maintenance.')).sort((a, b) => b[1] - a[1]);
    for (const [name, took] of slowest.slice(0, 2))
      print([`  ${name}: ${what}, ${accounts} voters`, `${took.toFixed(0)} ms`]);
  };
  const first = maintenance();
  report('the first maintenance', first);
  let later = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    changeSome(state, accounts, some);
    later = Math.min(later, maintenance());
  }
  report(`a later one, ${some} changed`, later, 'best of 3', 'aim 100 ms for 1,000,000');
  return { first, later };
}

const PER_BLOCK = 500;

/** A transfer changes two balances and the statistics of who pays; without sums nobody listens. */
function noting(print: Print, transfers: number): void {
  const accounts = transfers / 10;
  const costUs = [false, true].map((hasSums) => {
    const state = new ChainState({ ...NETWORK, forks: ALL_FORKS_ACTIVE });
    fillTables(state, accounts);
    if (hasSums) new VoteSums(state);
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < ROUNDS; round++) {
      const took = timed(() => {
        for (let from = 0; from < transfers; from += PER_BLOCK) changeBalances(state, from, accounts);
      });
      best = Math.min(best, took.cpuSeconds);
    }
    return (1e6 * best) / transfers;
  });
  const [without, withSums] = costUs as [number, number];
  print([
    'noting what a transfer changes',
    `${(withSums - without).toFixed(2)} µs each`,
    `${without.toFixed(2)} without, ${withSums.toFixed(2)} with it`,
    'aim 0.30',
  ]);
}

function changeBalances(state: ChainState, from: number, accounts: number): void {
  state.openFrame();
  for (let n = from; n < from + PER_BLOCK; n++) {
    const payer = (n * 7919) % accounts;
    state.edit(accountBalanceObject, state.get(accountBalanceObject, payer)).balance -= 1n;
    state.edit(accountBalanceObject, state.get(accountBalanceObject, (n * 104_729 + 1) % accounts)).balance += 1n;
    state.edit(accountStatisticsObject, state.get(accountStatisticsObject, payer)).pending_vested_fees += 1n;
  }
  state.commitFrame();
  state.dropOldest(1);
}
