import t from 'tap';
import '../../src/operations/index.js';
import { Chain } from '../../src/chain/chain.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import { openStoredChain, type StoredChain } from '../../src/node/chain/stored-chain.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import { stateHash } from '../../src/state/state-hash.js';
import { chainContractEngine } from '../../src/vm/chain-engine.js';
import { contractKeys } from '../../src/vm/keys.js';
import { quietLog } from '../crash/quiet-log.js';
import { SeededRandom } from '../sim/random.js';
import { goldenBlocks, goldenGenesis } from '../support/golden.js';
import { storedHistory, undisturbedHistory } from '../support/history.js';
import { NETWORK } from '../support/network.js';
import { PowerLossDisk, PowerLost } from '../support/power-loss-disk.js';

/**
 * The power goes at any instant, several times in one life, on a disk that forgets what was not synced. Afterwards the
 * node starts by itself, has everything that was said to be stored, and ends in the state of an undisturbed one.
 * `TRUSTNODE_POWER_LOSS_SEEDS=1000 node dist/test/storage/power-loss.test.js` tries more of it.
 */
const SEEDS = Number(process.env.TRUSTNODE_POWER_LOSS_SEEDS ?? 20);
const FIRST_SEED = Number(process.env.TRUSTNODE_POWER_LOSS_SEED ?? 1);
const LAST = 40;
const LOSSES = 3;

const genesis = goldenGenesis();
const blocks: SignedBlock[] = [];
for (const block of goldenBlocks()) {
  blocks.push(block);
  if (blocks.length === LAST) break;
}
const hashOf = (chain: Chain): string => chain.snapshots.withHeadState(stateHash);
const hashes = new Map<number, string>();
{
  const chain = new Chain({
    genesis,
    engine: chainContractEngine(contractKeys(NETWORK)),
    blocks: new MemoryBlockStore(),
  });
  for (const block of blocks) {
    chain.blocks.push({ block });
    hashes.set(chain.queries.head.number, hashOf(chain));
  }
}

const history = undisturbedHistory(genesis, blocks);
const wantedHistory = (to: number): string =>
  JSON.stringify(history.filter(({ block_num }) => (block_num as number) <= to));
const historyOf = ({ storage }: StoredChain): string => JSON.stringify([...storedHistory(storage)]);

/** One process: blocks come, are taken back now and then, and stored. Ends by itself, or because the power went. */
async function live(stored: StoredChain, random: SeededRandom, acknowledge: (number: number) => void): Promise<void> {
  const { chain, storage } = stored;
  // A block that was taken back takes its word on what is irreversible with it; others keep to that word. What is
  // stored was irreversible, too.
  let irreversible = storage.objects.head?.number ?? 0;
  while (chain.queries.head.number < LAST) {
    chain.blocks.push({ block: blocks[chain.queries.head.number] as SignedBlock });
    const { number } = chain.queries.head;
    irreversible = Math.max(irreversible, chain.queries.head.irreversible);
    if (random.chance(0.1) && number > irreversible) chain.blocks.popTo(random.between(irreversible, number));
    if (random.chance(0.2)) {
      chain.blocks.save();
      await storage.flush();
      acknowledge(storage.objects.head?.number ?? 0);
    }
  }
  await stored.close();
  acknowledge(LAST);
}

async function tryLife(seed: number): Promise<string> {
  const random = new SeededRandom(seed);
  const disk = new PowerLossDisk(random);
  let acknowledged = 0;
  for (let losses = 0; ; ) {
    if (losses < LOSSES) disk.losesPowerAt = disk.accesses + random.below(150);
    try {
      const stored = await openStoredChain({
        dataDir: 'data',
        genesis,
        log: quietLog,
        chain: { saveBlocks: 3 },
        storage: { files: disk.files, openKv: disk.openKv },
      });
      const { number } = stored.chain.queries.head;
      if (number < acknowledged) return `block ${acknowledged} was stored, the chain ends at ${number}`;
      if (number > 0 && hashOf(stored.chain) !== hashes.get(number)) return `the state of block ${number} is another`;
      if (historyOf(stored) !== wantedHistory(number)) return `the journal up to block ${number} is another`;
      await live(stored, random, (stands) => {
        acknowledged = Math.max(acknowledged, stands);
      });
      return 'whole';
    } catch (error) {
      if (!(error instanceof PowerLost)) return error instanceof Error ? error.message : String(error);
      losses++;
      disk.powerUp();
    }
  }
}

t.test(`${SEEDS} lives with ${LOSSES} power losses each`, async (t) => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) t.equal(await tryLife(seed), 'whole', `seed ${seed}`);
});
