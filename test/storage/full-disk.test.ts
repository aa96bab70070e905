import t from 'tap';
import '../../src/operations/index.js';
import type { Logger } from '../../src/base/world.js';
import { Chain } from '../../src/chain/chain.js';
import type { BlockFacts } from '../../src/chain/facts.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { openStoredChain, type StoredChain } from '../../src/node/chain/stored-chain.js';
import { stateHash } from '../../src/state/state-hash.js';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import { MemoryKv } from '../../src/storage/memory-kv.js';
import { testEngine } from '../support/engine.js';
import { MemoryFiles } from '../support/memory-files.js';
import { refused } from '../support/refused.js';
import { witnessKey, worldGenesis } from '../support/world-genesis.js';

/** So many witnesses that nothing becomes irreversible. */
const genesis = worldGenesis({ witnesses: 27 });
const quiet: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => quiet };
const hashOf = (chain: Chain): string => chain.snapshots.withHeadState(stateHash);

/** A chain in memory, and blocks of its own: one for each number of slots that are missed before it. */
function branch(...missed: number[]): { readonly chain: Chain; readonly made: BlockFacts[] } {
  const chain = new Chain({ genesis, engine: testEngine(), blocks: new MemoryBlockStore() });
  const made = missed.map((slots) => {
    const { queries } = chain;
    const witness = queries.scheduledWitness(slots + 1);
    const key = witnessKey(`init${witness - 1}`);
    const signer = { publicKey: key.publicKey, sign: (digest: Uint8Array) => signatureBackend().sign(digest, key) };
    return chain.blocks.produce({ when: queries.slotTime(slots + 1), witness, signer });
  });
  return { chain, made };
}

t.test(
  'a disk that fills up in the middle of a change of branch: running on and starting again both take it',
  async (t) => {
    const old = branch(0, 0, 0);
    const longer = branch(0, 1, 0, 0);
    for (const how of ['running on', 'starting again']) {
      const files = new MemoryFiles();
      const kv = new MemoryKv();
      const open = (): Promise<StoredChain> =>
        openStoredChain({ dataDir: 'data', genesis, log: quiet, storage: { files, openKv: async () => kv } });
      let stored = await open();
      const push = ({ block }: BlockFacts) => stored.chain.blocks.push({ block });
      for (const one of [...old.made, ...longer.made.slice(1, 3)]) push(one);
      const leader = longer.made[3] as BlockFacts;
      // The first block of the new branch still fits, the second one is cut off in the middle of its record.
      files.room = 300;
      refused(t, STORAGE_ERRORS.storage_disk_full, () => push(leader), how);
      t.equal(stored.chain.queries.head.number, 1, `${how}: nor can the old branch be written again`);
      t.equal(stored.storage.log.headNumber, 1, how);
      files.room = Number.POSITIVE_INFINITY;
      for (const one of longer.made) t.ok(stored.chain.queries.isKnownBlock(one.id), `${how}: ${one.number} is known`);
      if (how === 'starting again') {
        await stored.close();
        stored = await open();
        t.equal(stored.storage.repair.cut, undefined, `${how}: nothing half written is left`);
        const { head } = stored.chain.queries;
        t.ok(
          [...old.made, ...longer.made].some(({ id }) => id === head.id),
          `${how}: at a block of one of both`,
        );
        for (const one of longer.made.slice(1, 3)) push(one);
      }
      push(leader);
      t.equal(stored.chain.queries.head.id, leader.id, how);
      t.equal(hashOf(stored.chain), hashOf(longer.chain), how);
      await stored.close();
    }
  },
);
