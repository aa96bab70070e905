import { concatBytes } from '../../../src/base/bytes.js';
import { encodeMessage, ITEM_BLOCK, ITEM_TRANSACTION, MESSAGES } from '../../../src/p2p/wire/messages.js';
import type { SeededRandom } from '../../sim/random.js';

/** Messages that make sense, before something is done to them. */

export interface Sample {
  readonly type: number;
  readonly payload: Uint8Array;
}

const hex = (random: SeededRandom, bytes: number): string =>
  Array.from({ length: bytes }, () => random.below(256).toString(16).padStart(2, '0')).join('');

const hashes = (random: SeededRandom, most: number): string[] =>
  Array.from({ length: random.below(most + 1) }, () => hex(random, 20));

const itemType = (random: SeededRandom): number => random.pick([ITEM_BLOCK, ITEM_TRANSACTION]);

/** The kinds, each as likely as often as it stands here; most of them an honest peer could have sent. */
const KINDS: readonly ((random: SeededRandom) => Sample)[] = [
  (random) => ({
    type: MESSAGES.current_time_request.type,
    payload: encodeMessage('current_time_request', { request_sent_time: BigInt(random.below(2 ** 31)) }),
  }),
  (random) => ({
    type: MESSAGES.item_ids_inventory.type,
    payload: encodeMessage('item_ids_inventory', {
      item_type: itemType(random),
      item_hashes_available: hashes(random, 4),
    }),
  }),
  (random) => ({
    type: MESSAGES.fetch_items.type,
    payload: encodeMessage('fetch_items', { item_type: itemType(random), items_to_fetch: hashes(random, 4) }),
  }),
  (random) => ({
    type: MESSAGES.item_not_available.type,
    payload: encodeMessage('item_not_available', { item_type: itemType(random), item_hash: hex(random, 20) }),
  }),
  (random) => ({
    type: MESSAGES.fetch_blockchain_item_ids.type,
    payload: encodeMessage('fetch_blockchain_item_ids', {
      item_type: ITEM_BLOCK,
      blockchain_synopsis: hashes(random, 12),
    }),
  }),
  (random) => ({
    type: MESSAGES.blockchain_item_ids_inventory.type,
    payload: encodeMessage('blockchain_item_ids_inventory', {
      total_remaining_item_count: random.below(1000),
      item_type: ITEM_BLOCK,
      item_hashes_available: hashes(random, 20),
    }),
  }),
  () => ({ type: MESSAGES.address_request.type, payload: new Uint8Array(0) }),
  (random) => ({
    type: MESSAGES.check_firewall.type,
    payload: encodeMessage('check_firewall', {
      node_id: hex(random, 33),
      endpoint_to_check: `127.0.0.${random.below(256)}:${random.below(65_536)}`,
    }),
  }),
  () => ({ type: MESSAGES.get_current_connections_request.type, payload: new Uint8Array(0) }),
];

export const sampleOf = (random: SeededRandom): Sample => random.pick(KINDS)(random);

/** The same with something done to it: bits, length, type. Not always: most of it has to be let through for more to come. */
export function mutated(random: SeededRandom, { type, payload }: Sample): Sample {
  if (random.chance(0.8)) return { type, payload: changed(random, payload, 2) };
  const cut = random.chance(0.3) ? payload.slice(0, random.below(payload.length + 1)) : payload;
  const tail = random.chance(0.2) ? bytesOf(random, random.below(60)) : new Uint8Array(0);
  const other = random.chance(0.05) ? random.below(2 ** 32) : random.chance(0.1) ? 5000 + random.below(120) : type;
  return { type: other, payload: changed(random, concatBytes(cut, tail), 6) };
}

function changed(random: SeededRandom, payload: Uint8Array, most: number): Uint8Array {
  const out = payload.slice();
  for (let i = random.below(most + 1); i > 0 && out.length > 0; i--) {
    // The first bytes say how much there is: a fault there ends the connection, and they are spared often.
    const from = random.chance(0.9) ? Math.min(5, out.length - 1) : 0;
    out[from + random.below(out.length - from)] = random.below(256);
  }
  return out;
}

export const bytesOf = (random: SeededRandom, count: number): Uint8Array =>
  Uint8Array.from({ length: count }, () => random.below(256));
