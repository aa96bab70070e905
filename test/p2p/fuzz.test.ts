import t from 'tap';
import { concatBytes, fromHex } from '../../src/base/bytes.js';
import { REASONS, type ReasonCode } from '../../src/p2p/policy/reasons.js';
import { encodeMessage, MESSAGES, type MessageName } from '../../src/p2p/wire/messages.js';
import { SeededRandom } from '../sim/random.js';
import { packedBlocks } from './support/golden-chain.js';
import { recordings } from './support/play-golden.js';
import { readLines } from './support/replay.js';
import { Bench, type TestPeer } from './support/test-peer.js';

/**
 * Frames with faults: whatever a peer sends, the connection ends with a reason at worst, and nothing grows. Without
 * TRUSTNODE_P2P_FUZZ_FRAMES a small number of them; a failure prints the seed that repeats it.
 */

const FRAMES = Number(process.env.TRUSTNODE_P2P_FUZZ_FRAMES ?? 1200);
const SEED = Number(process.env.TRUSTNODE_P2P_FUZZ_SEED ?? 1);
const TYPES = Object.values(MESSAGES).map(({ type }) => type);

/** Payloads of all kinds that a reference node and its clients have sent. */
function samples(): { readonly type: number; readonly payload: Uint8Array }[] {
  const out: { type: number; payload: Uint8Array }[] = [];
  for (const file of recordings('cde')) {
    for (const { type, payload_hex } of readLines(file)) {
      if (typeof type === 'number' && payload_hex !== undefined && payload_hex.length < 8000) {
        out.push({ type, payload: fromHex(payload_hex) });
      }
    }
  }
  for (let number = 55; number < 65; number++) {
    for (const bytes of packedBlocks(number)) out.push({ type: 1001, payload: concatBytes(bytes, new Uint8Array(20)) });
  }
  return out;
}

function mutate(random: SeededRandom, payload: Uint8Array): Uint8Array {
  const out = payload.slice(0, random.chance(0.2) ? random.below(payload.length + 1) : payload.length);
  const changes = random.between(0, 4);
  for (let i = 0; i < changes && out.length > 0; i++) {
    const at = random.below(out.length);
    out[at] = random.chance(0.3) ? random.pick([0, 1, 0x7f, 0x80, 0xff]) : random.below(256);
  }
  return random.chance(0.1)
    ? concatBytes(
        out,
        Uint8Array.from({ length: random.below(40) }, () => random.below(256)),
      )
    : out;
}

t.test(`${FRAMES} frames with faults, seed ${SEED}`, async (t) => {
  const random = new SeededRandom(SEED);
  const all = samples();
  t.ok(all.length > 500, 'there is something to begin with');
  const reasons = new Map<string, number>();
  let bench = new Bench();
  let peer: TestPeer | undefined;
  let connections = 0;
  for (let i = 0; i < FRAMES; i++) {
    if (i % 1000 === 999) bench = new Bench();
    if (peer === undefined || peer.closedWith !== undefined || i % 1000 === 999) {
      // Always from elsewhere: otherwise the address would soon be banned.
      const name = `${11 + (connections >> 16)}.${(connections >> 8) & 255}.${connections & 255}.9:4000`;
      connections++;
      peer = bench.connect(name);
      if (peer === undefined) throw new Error(`${name} is not taken`);
      peer.key();
      // Some faults come before the hello, some after it, most when both sides are level.
      if (random.chance(0.9)) {
        peer.hello();
        if (random.chance(0.9)) {
          peer.say('connection_accepted', {});
          peer.say('address', { addresses: [] });
          if (random.chance(0.8)) peer.level();
        }
      }
    }
    const sample = random.pick(all);
    const type = random.chance(0.1) ? random.pick(TYPES) : random.chance(0.02) ? random.below(2 ** 32) : sample.type;
    peer.frame(type, mutate(random, sample.payload));
    // What the machine has taken for a block or a transaction is refused by a chain that has no time.
    bench.pushed.length = 0;
    bench.transactions.length = 0;
    if (peer.closedWith !== undefined) {
      reasons.set(peer.closedWith, (reasons.get(peer.closedWith) ?? 0) + 1);
      peer.hangUp();
    }
    if (random.chance(0.01)) bench.pass(1000);
  }
  for (const reason of reasons.keys()) t.ok(reason in REASONS, reason);
  const seen = (code: ReasonCode) => reasons.get(code) ?? 0;
  t.ok(seen('message_unreadable') > 20 && seen('message_out_of_state') > 10, JSON.stringify([...reasons]));
  t.ok(bench.machine.peers.size < 10, 'nothing of those that are gone is left');
  t.equal(bench.machine.addresses.find('0.0.0.0:0'), undefined);
});

t.test('hellos with faults', async (t) => {
  const random = new SeededRandom(SEED + 1);
  const bench = new Bench();
  const reasons = new Set<string>();
  const names = Object.keys(MESSAGES) as MessageName[];
  for (let i = 0; i < 60; i++) {
    const peer = bench.connect(`13.${i >> 8}.${i & 255}.9:4000`);
    if (peer === undefined) throw new Error('not taken');
    if (random.chance(0.2)) {
      peer.feed(Uint8Array.from({ length: random.between(1, 64) }, () => random.below(256)));
    } else {
      peer.key();
      const signature = Uint8Array.from({ length: 65 }, () => random.below(256));
      const blocks = Uint8Array.from({ length: 16 * random.between(1, 9) }, () => random.below(256));
      const fault = random.below(3);
      if (fault === 0) peer.hello({ signed_shared_secret: signature });
      else if (fault === 1) peer.hello({ chain_id: 'ab'.repeat(32) });
      else peer.plain(blocks);
      if (peer.closedWith === undefined)
        peer.frame(MESSAGES[random.pick(names)].type, encodeMessage('address_request', {}));
    }
    bench.pass(8000, 4000);
    bench.pass(16_000, 4000);
    t.type(peer.closedWith, 'string');
    reasons.add(peer.closedWith as string);
  }
  t.ok(reasons.size >= 4, [...reasons].join());
  t.equal(bench.machine.peers.size, 0);
});
