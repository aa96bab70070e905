import { createHash } from 'node:crypto';
import t from 'tap';
import { ALL_FORKS_ACTIVE } from '../../../src/protocol/forks.js';
import { ChainState } from '../../../src/state/chain-state.js';
import { blockSummaryObject } from '../../../src/state/objects/block-summary.js';
import { typeDigests } from '../../../src/state/state-hash.js';
import { NETWORK } from '../../support/network.js';

/** More than the writer holds before its bytes go to the hash. */
const MANY = 50_000;
const NULL_ID = '00'.repeat(20);

/** As the form is described, byte for byte, with no short cut. */
function digestOf(ids: readonly string[]): string {
  const hash = createHash('sha256').update(Uint8Array.of(blockSummaryObject.space, blockSummaryObject.type));
  const u64 = (value: number): Buffer => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(value));
    return bytes;
  };
  hash.update(u64(ids.length)).update(u64(ids.length));
  for (const [instance, id] of ids.entries()) hash.update(u64(instance)).update(Buffer.from(id, 'hex'));
  return hash.digest('hex');
}

function hashed(ids: readonly string[]): string | undefined {
  const state = new ChainState({ ...NETWORK, forks: ALL_FORKS_ACTIVE });
  for (const block_id of ids) state.create(blockSummaryObject, { block_id });
  return typeDigests(state).find(({ definition }) => definition === blockSummaryObject)?.digest;
}

t.test('neighbours that are alike are hashed like all others', async (t) => {
  const [a, b] = ['aa'.repeat(20), 'bb'.repeat(20)];
  for (const ids of [[], [a], [a, a], [a, a, b], [a, b, a, a, a, b, b], [b, a, a]]) {
    t.equal(hashed(ids), digestOf(ids), `${ids.length} objects`);
  }
  // Pairs: one of the two ways ends a piece between the first and the second of them.
  for (const shift of [0, 1]) {
    const many = Array.from(
      { length: MANY },
      (_, i) => ([NULL_ID, a, b] as const)[Math.floor((i + shift) / 2) % 3] ?? a,
    );
    t.equal(hashed(many), digestOf(many), 'across pieces');
  }
});
