import { cpus } from 'node:os';
import type { GivenBlock } from '../src/chain/facts.js';
import { decode } from '../src/codec/binary.js';
import { SKIP } from '../src/operations/define.js';
import { type SignedBlock, signedBlock } from '../src/protocol/block.js';
import { ReadBlock } from '../src/protocol/source-block.js';
import { stateHash } from '../src/state/state-hash.js';
import { inlineVerifier } from '../src/verify/inline.js';
import { aheadOf, LOOK_AHEAD } from '../src/verify/pipeline.js';
import { PoolVerifier } from '../src/verify/pool.js';
import { verifyBlock } from '../src/verify/signed.js';
import type { SignatureBatch, SignatureVerifier } from '../src/verify/verify.js';
import type { Ratio } from './fixtures/ratios.js';
import { bestOf, count, type Elapsed, rates, reportGrowth, startStopwatch, timed } from './fixtures/stopwatch.js';
import { chainOver, REFERENCE_BLOCKS, rewind, transferWorkload, type Workload } from './fixtures/transfers.js';
import type { Print, Size } from './run.js';

/**
 * Blocks of 500 transfers with every check, as they come from other nodes. The reference applies 10,800 transfers/s on
 * one thread; it recovers every key where it applies the block.
 *
 * Possible: recovering a key takes 57 µs of one core, all else about 14 µs of the main thread. So with the look-ahead
 * two cores should pass 27,000/s, which is 80 % of what they recover when they do nothing else, and more cores are
 * bounded by the main thread, at 70,000/s.
 */

const SIZES = {
  small: { accounts: [500, 600], blocks: 3, transfers: 20, runs: 1 },
  full: { accounts: [10_000, 1_000_000], ...REFERENCE_BLOCKS, runs: 3 },
};

export async function run(print: Print, sizeName: Size, ratio: Ratio): Promise<void> {
  const { accounts, runs, ...size } = SIZES[sizeName];
  // One thread beside the main thread, and one for each core, which the main thread shares with them.
  const pools = [...new Set([1, cpus().length])].map((workers) => new PoolVerifier({ workers }));
  const costs: Elapsed[] = [];
  try {
    for (const [i, one] of accounts.entries()) {
      const workload = transferWorkload({ ...size, accounts: one });
      const shareOf: Ratio = i === 0 ? ratio : () => undefined;
      costs.push(await measure(print, `${count(one)} accounts`, { workload, pools, runs, ratio: shareOf }));
    }
  } finally {
    for (const pool of pools) await pool.close();
  }
  reportGrowth(costs, print, ratio);
}

interface Measured {
  readonly workload: Workload;
  readonly runs: number;
  readonly ratio: Ratio;
}

async function measure(
  print: Print,
  name: string,
  { workload, pools, runs, ratio }: Measured & { readonly pools: readonly PoolVerifier[] },
): Promise<Elapsed> {
  const blocks = workload.blocks.map((bytes) => decode(signedBlock, bytes));
  const batches = await batchesOf(workload, blocks);
  let applying: Elapsed | undefined;
  for (const pool of pools) applying = await measurePool(print, name, { workload, batches, pool, runs, ratio });

  const { transfers } = workload;
  const oneThread = await bestOf(1, async () => (await applyAll(workload, inlineVerifier())).elapsed);
  print([`${name}: all checks, no threads`, ...rates(transfers, 'tx', oneThread)]);

  const verifier = inlineVerifier();
  const known: GivenBlock[] = [];
  for (const block of blocks) {
    known.push((await verifyBlock(verifier, workload.genesis.chainId, new ReadBlock(block))).open());
  }
  const judging = await bestOf(runs, () => {
    const chain = chainOver(workload.state);
    const [first, ...rest] = known;
    chain.blocks.push(first as GivenBlock);
    const elapsed = timed(() => {
      for (const block of rest) chain.blocks.push(block);
    });
    rewind(workload.state);
    return elapsed;
  });
  print([`${name}: all checks, signers known`, ...rates(transfers, 'tx', judging)]);
  if (applying === undefined) throw new Error('there is a pool');
  return applying;
}

interface PoolCase extends Measured {
  readonly batches: readonly SignatureBatch[];
  readonly pool: PoolVerifier;
}

/** What the threads recover when nobody else works, and how much of that is left when the blocks are applied as well. */
async function measurePool(
  print: Print,
  name: string,
  { workload, batches, pool, runs, ratio }: PoolCase,
): Promise<Elapsed> {
  const { transfers } = workload;
  const threads = `${pool.workers} thread${pool.workers === 1 ? '' : 's'}`;
  const recovering = await bestOf(runs, async () => {
    const stop = startStopwatch();
    await Promise.all(batches.map((batch) => pool.recover(batch)));
    return stop();
  });
  print([`${name}: recovery alone, ${threads}`, ...rates(transfers, 'tx', recovering)]);

  let hash = '';
  const applying = await bestOf(runs, async () => {
    const result = await applyAll(workload, pool);
    hash = result.hash;
    return result.elapsed;
  });
  const share = recovering.seconds / applying.seconds;
  ratio(`all checks beside recovery, ${pool.workers === 1 ? 'one thread' : 'a thread for each core'}`, share);
  const blockRate = `${count(workload.blocks.length / applying.seconds)} blocks/s`;
  const [rate, each] = rates(transfers, 'tx', applying);
  print([
    `${name}: all checks, ${threads}`,
    rate,
    each,
    blockRate,
    `${(100 * share).toFixed(0)} % of recovery`,
    hash.slice(0, 12),
  ]);
  return applying;
}

/** What the threads get to see of each block. */
async function batchesOf({ genesis }: Workload, blocks: readonly SignedBlock[]): Promise<SignatureBatch[]> {
  const batches: SignatureBatch[] = [];
  const recorder: SignatureVerifier = {
    ...inlineVerifier(),
    recover: (batch) => {
      batches.push(batch);
      return Promise.reject(new Error('only the batch is wanted'));
    },
  };
  for (const block of blocks) await verifyBlock(recorder, genesis.chainId, new ReadBlock(block)).catch(() => undefined);
  return batches;
}

/** From bytes to the new state, as an import does it. */
async function applyAll(workload: Workload, verifier: SignatureVerifier): Promise<{ elapsed: Elapsed; hash: string }> {
  const { genesis, state, blocks } = workload;
  const chain = chainOver(state);
  const [first, ...rest] = blocks as [Uint8Array, ...Uint8Array[]];
  chain.blocks.push({ block: decode(signedBlock, first) });
  async function* decoded(): AsyncGenerator<{ block: SignedBlock; bytes: number }> {
    for (const bytes of rest) yield { block: decode(signedBlock, bytes), bytes: bytes.length };
  }
  const stop = startStopwatch();
  const verify = ({ block }: { block: SignedBlock }) => verifyBlock(verifier, genesis.chainId, new ReadBlock(block));
  const loadOf = ({ block, bytes }: { block: SignedBlock; bytes: number }) => ({
    transactions: block.transactions.length,
    bytes,
  });
  for await (const recovered of aheadOf(decoded(), verify, loadOf, LOOK_AHEAD)) {
    chain.blocks.push(recovered.open(), SKIP.none);
  }
  const elapsed = stop();
  const hash = chain.snapshots.withHeadState(stateHash);
  rewind(state);
  return { elapsed, hash };
}
