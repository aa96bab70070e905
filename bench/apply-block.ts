import { pathToFileURL } from 'node:url';
import '../src/operations/index.js';
import { Chain, emptyState } from '../src/chain/chain.js';
import { MemoryBlockStore } from '../src/chain/memory-block-store.js';
import type { GivenBlock } from '../src/chain/verified.js';
import { decode, encode } from '../src/codec/binary.js';
import { signatureDigest, tapos } from '../src/crypto/digests.js';
import { signatureBackend } from '../src/crypto/signature.js';
import { SKIP } from '../src/operations/define.js';
import { operationByName } from '../src/operations/index.js';
import { makeAsset } from '../src/protocol/asset.js';
import { keyAuthority } from '../src/protocol/authority.js';
import { signedBlock } from '../src/protocol/block.js';
import type { OperationBody } from '../src/protocol/operation-slot.js';
import { type SignedTransaction, transaction } from '../src/protocol/transaction.js';
import type { ChainState } from '../src/state/chain-state.js';
import { accountObject } from '../src/state/objects/account.js';
import { FOREVER } from '../src/state/rules/accounts.js';
import { adjustBalance } from '../src/state/rules/balances.js';
import { createAccount } from '../src/state/rules/new-account.js';
import { stateHash } from '../src/state/state-hash.js';
import { testEngine } from '../test/support/engine.js';
import { accountKey, witnessKey, worldGenesis } from '../test/support/world-genesis.js';

/**
 * Blocks of 500 transfers between random accounts. Possible: a transfer is 4 changed objects, about 3 µs, and decoding
 * 300 bytes is about 2 µs, so 100,000 a second without signatures should be in reach of one thread.
 */

type Print = (row: string[]) => void;
const SIZES = {
  small: { accounts: 1_000, blocks: 4, transfers: 100 },
  full: { accounts: 10_000, blocks: 100, transfers: 500 },
};
const REPLAY_SKIP =
  SKIP.witnessSignature |
  SKIP.transactionSignatures |
  SKIP.transactionDupeCheck |
  SKIP.blockSizeCheck |
  SKIP.taposCheck |
  SKIP.authorityCheck |
  SKIP.merkleCheck |
  SKIP.witnessScheduleCheck;

const genesis = worldGenesis({ fees: true, witnesses: 3, parameters: { maintenance_interval: 86_400 } });
const key = accountKey('everybody');

function fill(state: ChainState, accounts: number): number {
  const first = state.nextInstance(accountObject);
  const authority = keyAuthority(key.publicKey);
  for (let i = 0; i < accounts; i++) {
    const { id } = createAccount(state, {
      name: `account-${i}`,
      owner: authority,
      active: authority,
      membership_expiration_date: FOREVER,
    });
    adjustBalance(state, id, 1, 10n ** 12n);
  }
  return first;
}

/** Deterministic: the same blocks in every run. */
function randomOf(seed: number): (below: number) => number {
  let x = seed;
  return (below) => {
    x = (Math.imul(x, 1_664_525) + 1_013_904_223) >>> 0;
    return x % below;
  };
}

function signedTransfer(chain: Chain, from: number, to: number, mark: number): SignedTransaction {
  const definition = operationByName('transfer');
  if (definition === undefined) throw new Error('there are transfers');
  const body = {
    ...definition.schema.default(),
    fee: makeAsset(100_000n, 1),
    from,
    to,
    amount: makeAsset(BigInt(1 + mark), 1),
  } as OperationBody;
  const unsigned = {
    ...tapos(chain.blocks.head.id),
    expiration: chain.blocks.head.time + 600,
    operations: [[definition.tag, body] as [number, OperationBody]],
    extensions: [],
  };
  const digest = signatureDigest(chain.chainId, encode(transaction, unsigned));
  return { ...unsigned, signatures: [signatureBackend().sign(digest, key)] };
}

function newChain(state: ChainState): Chain {
  return new Chain({ genesis, engine: testEngine(), blocks: new MemoryBlockStore(), state, saveBlocks: 1_000_000 });
}

function makeBlocks(state: ChainState, first: number, size: (typeof SIZES)['full']): Uint8Array[] {
  const chain = newChain(state);
  const random = randomOf(42);
  const out: Uint8Array[] = [];
  // The first block is empty: it ends a maintenance interval, which is another bench.
  for (let n = 0; n <= size.blocks; n++) {
    for (let i = 0; n > 0 && i < size.transfers; i++) {
      const from = first + random(size.accounts);
      const to = first + ((from - first + 1 + random(size.accounts - 1)) % size.accounts);
      chain.pending.push({ transaction: signedTransfer(chain, from, to, i) }, SKIP.transactionSignatures);
    }
    const witness = chain.queries.scheduledWitness(1);
    const signing = witnessKey(`init${witness - 1}`);
    const facts = chain.blocks.produce(
      {
        when: chain.queries.slotTime(1),
        witness,
        signer: { publicKey: signing.publicKey, sign: (digest) => signatureBackend().sign(digest, signing) },
      },
      SKIP.transactionSignatures,
    );
    out.push(encode(signedBlock, facts.block));
  }
  rewind(state);
  return out;
}

function rewind(state: ChainState): void {
  while (state.openFrames > 0) state.undoFrame();
  while (state.committedFrames > 0) state.popCommitted();
}

const seconds = (since: bigint): number => Number(process.hrtime.bigint() - since) / 1e9;

export function run(print: Print, sizeName: 'small' | 'full'): void {
  const size = SIZES[sizeName];
  for (const accounts of sizeName === 'full' ? [size.accounts, 1_000_000] : [size.accounts]) {
    measure(print, { ...size, accounts });
  }
}

function measure(print: Print, size: (typeof SIZES)['full']): void {
  const state = emptyState(genesis);
  newChain(state);
  const first = fill(state, size.accounts);
  const packed = makeBlocks(state, first, size);
  const count = size.blocks * size.transfers;
  const rate = (elapsed: number): string => `${Math.round(count / elapsed)} tx/s`;
  const name = `${size.accounts} accounts`;

  let started = process.hrtime.bigint();
  const blocks = packed.map((bytes) => decode(signedBlock, bytes));
  print([`${name}: decode`, rate(seconds(started))]);

  const replay = (label: string, given: readonly GivenBlock[], skip: number): string => {
    const chain = newChain(state);
    const [first, ...rest] = given;
    if (first === undefined) throw new Error('there are blocks');
    chain.blocks.push(first, skip);
    started = process.hrtime.bigint();
    for (const block of rest) chain.blocks.push(block, skip);
    const elapsed = seconds(started);
    const hash = chain.snapshots.withHeadState(stateHash);
    print([`${name}: ${label}`, rate(elapsed), `${(size.blocks / elapsed).toFixed(1)} blocks/s`, hash.slice(0, 12)]);
    started = process.hrtime.bigint();
    rewind(state);
    if (label === 'replay') print([`${name}: undo`, `${(size.blocks / seconds(started)).toFixed(1)} blocks/s`]);
    return hash;
  };

  replay(
    'replay',
    blocks.map((block) => ({ block })),
    REPLAY_SKIP,
  );
  const ahead: GivenBlock[] = blocks.map((block) => ({
    block,
    transactions: block.transactions.map((one) => ({ transaction: one, keys: [key.publicKey] })) as never,
  }));
  replay('all checks, keys recovered ahead', ahead, SKIP.none);
  replay(
    'all checks, keys recovered here',
    blocks.map((block) => ({ block })),
    SKIP.none,
  );
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  run((row) => process.stdout.write(`${row.join('  ')}\n`), process.argv.includes('--small') ? 'small' : 'full');
}
