import '../src/operations/index.js';
import { Chain, emptyState } from '../src/chain/chain.js';
import { MemoryBlockStore } from '../src/chain/memory-block-store.js';
import { signatureBackend } from '../src/crypto/signature.js';
import { emptyAuthority } from '../src/protocol/authority.js';
import type { ChainState } from '../src/state/chain-state.js';
import { accountObject } from '../src/state/objects/account.js';
import { accountStatisticsObject } from '../src/state/objects/account-statistics.js';
import { dynamicGlobalPropertyObject } from '../src/state/objects/dynamic-global-property.js';
import { witnessObject } from '../src/state/objects/witness.js';
import { FOREVER } from '../src/state/rules/accounts.js';
import { adjustBalance } from '../src/state/rules/balances.js';
import { createAccount } from '../src/state/rules/new-account.js';
import { stateHash } from '../src/state/state-hash.js';
import { testEngine } from '../test/support/engine.js';
import { witnessKey, worldGenesis } from '../test/support/world-genesis.js';
import type { Ratio } from './fixtures/ratios.js';

/**
 * One maintenance block with many accounts that all hold something and vote; a part of them has fees to pay out.
 * Possible: an account is one balance row, one opinion and a few votes, below a microsecond.
 */

type Print = (row: string[]) => void;
const SIZES = { small: [500, 1_000], full: [10_000, 100_000, 1_000_000] };
/** Accounts that have paid fees since the last maintenance. */
const PAYERS = 10_000;

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
    if (i >= PAYERS) continue;
    state.modify(accountStatisticsObject, state.get(accountStatisticsObject, account.statistics), (o) => {
      o.pending_vested_fees = 100_000n;
    });
  }
}

export function run(print: Print, size: 'small' | 'full', ratio: Ratio): void {
  const perVoter = SIZES[size].map((accounts) => measure(print, accounts) / accounts);
  const [fewer, most] = perVoter.slice(-2);
  if (fewer !== undefined && most !== undefined) ratio('a voter among many', fewer / most);
}

/** Milliseconds. */
function measure(print: Print, accounts: number): number {
  const state = emptyState(genesis);
  const steps = new Map<string, number>();
  const now = (): number => Number(process.hrtime.bigint()) / 1e6;
  const observe = (step: string, work: () => void): void => {
    const started = now();
    work();
    steps.set(step, (steps.get(step) ?? 0) + now() - started);
  };
  const chain = new Chain({ genesis, engine: testEngine(), blocks: new MemoryBlockStore(), state, observe });
  fill(state, accounts);
  // The first block always ends a maintenance interval.
  const { queries } = chain;
  const witness = queries.scheduledWitness(1);
  const key = witnessKey(`init${witness - 1}`);
  const started = now();
  chain.blocks.produce({
    when: queries.slotTime(1),
    witness,
    signer: { publicKey: key.publicKey, sign: (digest) => signatureBackend().sign(digest, key) },
  });
  const elapsed = now() - started;
  const { time } = state.single(dynamicGlobalPropertyObject);
  if (time === 0) throw new Error('the block is applied');
  const hash = chain.snapshots.withHeadState(stateHash).slice(0, 12);
  print([`maintenance with ${accounts} voters`, `${elapsed.toFixed(0)} ms`, hash]);
  const slowest = [...steps].filter(([name]) => name.startsWith('maintenance.')).sort((a, b) => b[1] - a[1]);
  for (const [name, ms] of slowest.slice(0, 2)) print([`  ${name}, ${accounts} voters`, `${ms.toFixed(0)} ms`]);
  return elapsed;
}
