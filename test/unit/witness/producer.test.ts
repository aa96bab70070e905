import t from 'tap';
import { ChainError } from '../../../src/base/errors.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import type { AloneView } from '../../../src/witness/alone.js';
import type { ForeignBlock } from '../../../src/witness/other-signer.js';
import { Producer, type ProducerSettings } from '../../../src/witness/producer.js';
import { FakeClock } from '../../support/fake-clock.js';
import { MemoryLog } from '../../support/memory-log.js';
import { NETWORK } from '../../support/network.js';
import { SLOT_SEC, SLOTS_FROM_SEC, SlotChain, TEST_REFUSALS, WITNESS_KEY } from '../../support/slot-chain.js';

const KEY = WITNESS_KEY;
const START_SEC = SLOTS_FROM_SEC;
const INTERVAL = SLOT_SEC;

function world(settings: Partial<ProducerSettings> = {}, headSec = START_SEC, alone?: AloneView) {
  const clock = new FakeClock(START_SEC * 1000 + 200);
  const log = new MemoryLog();
  const chain = new SlotChain(headSec);
  const codes: string[] = [];
  const slots = { lastSec: 0 };
  const producer = new Producer(
    { witnesses: [1, 2], keys: [KEY], staleProduction: false, participationMin: 0, ...settings },
    {
      network: NETWORK,
      clock,
      log,
      view: chain,
      slots,
      plan: () => chain.plan(),
      processorMs: () => 0,
      produce: (turn) => chain.produce(turn),
      onAnswer: (code) => codes.push(code),
      ...(alone === undefined ? {} : { alone }),
    },
  );
  return { clock, log, chain, producer, codes, slots };
}

t.test('a block in every slot, none twice, at the second at which the slot begins', async (t) => {
  const { clock, chain, producer, log, codes } = world();
  producer.start();
  clock.advance(30_000);
  const times = chain.turns.map((turn) => turn.slotSec);
  t.same(
    times,
    Array.from({ length: 10 }, (_, i) => START_SEC - (START_SEC % INTERVAL) + (i + 1) * INTERVAL),
  );
  t.same(log.texts('warn', 'error'), []);
  t.equal(codes.length, 30, 'one answer a second');
  producer.stop();
  t.equal(clock.timers, 0, 'no timer is left');
  clock.advance(10_000);
  t.equal(chain.turns.length, 10);
});

t.test('who can sign and who cannot is said at the start', async (t) => {
  const { chain, producer, log } = world({ witnesses: [1, 2, 3] });
  chain.keys.set(2, PrivateKey.fromSeed('another').publicKey);
  producer.start();
  const said = log.entries.filter(({ values }) => values.witness !== undefined);
  t.match(said, [
    { level: 'info', text: 'witness can sign', values: { witness: '1.6.1' } },
    { level: 'warn', text: 'no private key for the signing key of the witness', values: { witness: '1.6.2' } },
    { level: 'warn', text: 'witness is not known to the chain yet', values: { witness: '1.6.3' } },
  ]);
  producer.stop();
});

t.test('only the own slots of one of two witnesses', async (t) => {
  const { clock, chain, producer } = world({ witnesses: [2] });
  producer.start();
  clock.advance(60_000);
  t.ok(chain.turns.length > 5);
  t.ok(chain.turns.every((turn) => turn.witness === 2));
});

t.test('a wake-up less than 50 ms away is left out', async (t) => {
  const { clock, producer, codes } = world();
  clock.jump(760);
  producer.start();
  clock.advance(100);
  t.equal(codes.length, 0);
  clock.advance(1000);
  t.equal(codes.length, 1);
});

t.test('an old head: said once, until the chain is recent', async (t) => {
  const { clock, chain, producer, log } = world({}, START_SEC - 86_400);
  producer.start();
  clock.advance(20_000);
  t.equal(chain.turns.length, 0);
  t.equal(log.texts('info').filter((text) => text.includes('the last block is old')).length, 1);
  chain.headSec = Math.floor(clock.nowMs() / 1000);
  clock.advance(6_000);
  t.ok(chain.turns.length >= 1);
  t.ok(producer.isEnabled);
  t.ok(log.texts('info').includes('the chain is up to date, block production is on'));
});

t.test('stale production makes the first block of an old chain', async (t) => {
  const { clock, chain, producer } = world({ staleProduction: true }, START_SEC - 86_400);
  producer.start();
  clock.advance(1_000);
  t.equal(chain.turns.length, 1);
  t.ok((chain.turns[0]?.slot ?? 0) > 28_000);
});

t.test('a missing key is said once for each witness, and anew when the key changes', async (t) => {
  const { clock, chain, producer, log } = world();
  chain.keys.set(2, PrivateKey.fromSeed('changed').publicKey);
  producer.start();
  t.equal(log.texts('warn').length, 1, 'at start');
  clock.advance(60_000);
  t.equal(log.texts('error').length, 1);
  chain.keys.set(2, PrivateKey.fromSeed('changed again').publicKey);
  clock.advance(30_000);
  t.equal(log.texts('error').length, 2);
  chain.keys.set(2, KEY.publicKey);
  clock.advance(30_000);
  t.equal(log.texts('error').length, 2);
  t.equal(log.texts('info').filter((text) => text === 'producing blocks again').length, 1);
});

t.test('low participation holds production back', async (t) => {
  const { clock, chain, producer, log } = world({ participationMin: 3300 });
  chain.filled = 3299;
  producer.start();
  clock.advance(30_000);
  t.equal(chain.turns.length, 0);
  t.equal(log.texts('error').length, 1);
  t.match(log.entries.find((entry) => entry.level === 'error')?.values, { participation: '32.99%', required: '33%' });
});

t.test('a refusal of the chain is said once a slot and the loop goes on', async (t) => {
  const { clock, chain, producer, log, codes } = world();
  producer.start();
  chain.refusal = new ChainError(TEST_REFUSALS.test_refusal, { why: 'a reason' });
  clock.advance(9_000);
  const errors = log.entries.filter((entry) => entry.level === 'error');
  t.equal(errors.length, 3);
  t.match(errors[0]?.values, { reason: 'refused for a reason', key: 'test_refusal' });
  t.ok(codes.includes('exception_producing_block'));
  chain.refusal = undefined;
  clock.advance(3_000);
  t.ok(chain.turns.length >= 1);
});

t.test('our own bugs are not swallowed', async (t) => {
  const { clock, producer } = world();
  const broken = new Producer(
    { witnesses: [1, 2], keys: [KEY], staleProduction: false, participationMin: 0 },
    {
      network: NETWORK,
      clock,
      log: new MemoryLog(),
      view: new SlotChain(START_SEC),
      slots: { lastSec: 0 },
      plan: () => new SlotChain(START_SEC).plan(),
      processorMs: () => 0,
      produce: () => {
        throw new TypeError('a bug');
      },
    },
  );
  broken.start();
  t.throws(() => clock.advance(5_000), { message: 'a bug' });
  producer.stop();
});

t.test('without a witness there is no loop', async (t) => {
  const { clock, producer, log } = world({ witnesses: [] });
  producer.start();
  t.equal(clock.timers, 0);
  t.equal(log.texts('info').length, 1);
});

t.test('a witness that does not exist yet is a warning at start', async (t) => {
  const { producer, log } = world({ witnesses: [7] });
  producer.start();
  t.same(log.texts('warn'), ['witness is not known to the chain yet']);
  producer.stop();
});

t.test('a slot for which a block was signed, perhaps one that was lost, is left out', async (t) => {
  const { clock, chain, producer, log, codes, slots } = world();
  slots.lastSec = chain.slotTime(2);
  producer.start();
  clock.advance(9_000);
  t.same(
    chain.turns.map(({ slotSec }) => slotSec),
    [slots.lastSec + INTERVAL],
  );
  t.ok(codes.includes('slot_signed'));
  t.equal(log.texts('warn').filter((text) => text.includes('has signed a block')).length, 2, 'once a slot');
  producer.stop();
});

t.test('a slot that a wrong clock has signed is said at the start, and why nothing is signed before it', async (t) => {
  const { clock, chain, producer, log, slots } = world();
  slots.lastSec = chain.slotTime(2) + 86_400;
  t.equal(producer.signedAheadSec, slots.lastSec);
  producer.start();
  const said = { level: 'error', text: /a slot that is still to come, .* remove witness\/signed_slots/ };
  const signed = new Date(1000 * slots.lastSec).toISOString().slice(0, 19);
  t.match(log.entries.at(-1), { ...said, values: { signed } });
  clock.advance(2 * INTERVAL * 1000);
  t.match(log.entries.at(-1), { ...said, values: { signed, witness: /^1\.6\./ } });
  t.same(chain.turns, []);
  producer.stop();
  slots.lastSec = chain.slotTime(2);
  t.equal(producer.signedAheadSec, undefined, 'the one that has just been signed is none');
});

const foreign = (changes: Partial<ForeignBlock> = {}): ForeignBlock => ({
  id: 'b'.repeat(40),
  number: 7,
  witness: 1,
  slotSec: START_SEC + INTERVAL,
  signer: () => KEY.publicKey,
  ...changes,
});

t.test('a block of an own witness that was not made here ends production for this witness', async (t) => {
  const { clock, chain, producer, log, codes } = world();
  producer.start();
  producer.blockCame(foreign());
  t.equal(log.texts('error').length, 1);
  t.match(log.entries.at(-1)?.values, { witness: '1.6.1', num: 7 });
  producer.blockCame(foreign({ id: 'c'.repeat(40) }));
  t.equal(log.texts('error').length, 1, 'said once');
  t.same(producer.signedElsewhere, [1]);
  clock.advance(30_000);
  t.ok(chain.turns.length >= 3);
  t.ok(
    chain.turns.every(({ witness }) => witness === 2),
    'the other witness goes on',
  );
  t.ok(codes.includes('signed_elsewhere'));
  t.ok(log.texts('error').length > 3, 'said again for every slot');
  producer.stop();
});

t.test('what does not show another machine', async (t) => {
  const { clock, chain, producer, slots } = world();
  producer.start();
  clock.advance(3_000);
  t.equal(chain.turns.length, 1);
  for (const [why, block] of [
    ['made here', foreign({ id: 'id' })],
    ['of another witness', foreign({ witness: 3 })],
    ['from before the start', foreign({ slotSec: START_SEC - 1 })],
    ['signed with a key that is not here', foreign({ signer: () => PrivateKey.fromSeed('another').publicKey })],
    ['without a signature', foreign({ signer: () => undefined })],
  ] as const) {
    producer.blockCame(block);
    t.same(producer.signedElsewhere, [], why);
  }
  producer.stop();
  slots.lastSec = START_SEC + 60;
  const again = new Producer(
    { witnesses: [1], keys: [KEY], staleProduction: false, participationMin: 0 },
    {
      network: NETWORK,
      clock,
      log: new MemoryLog(),
      view: chain,
      slots,
      plan: () => chain.plan(),
      processorMs: () => 0,
      produce: (turn) => chain.produce(turn),
    },
  );
  again.blockCame(foreign({ slotSec: START_SEC + 60 }));
  t.same(again.signedElsewhere, [], 'signed before the start and lost with it');
  again.blockCame(foreign({ slotSec: START_SEC + 63 }));
  t.same(again.signedElsewhere, [1]);
});

const HOUR_SEC = 3600;
const aloneView = (over: Partial<AloneView> = {}): AloneView => ({
  headNumber: () => 7,
  activeWitnesses: () => [1, 2],
  blocksBehind: () => undefined,
  ...over,
});

t.test(
  'who has the keys of all active witnesses goes on with an old head, also after few slots were filled',
  async (t) => {
    const { clock, chain, producer, log } = world({ participationMin: 3300 }, START_SEC - HOUR_SEC, aloneView());
    chain.filled = 0;
    producer.start();
    clock.advance(9000);
    t.equal(chain.turns.length, 4);
    t.match(
      log.entries.filter(({ text }) => text.includes('nobody else can have made a block since')),
      [{ level: 'info', values: { num: 7, witnesses: '1.6.1 1.6.2', peers: 'none' } }],
    );
    producer.stop();
  },
);

t.test('with a network it waits ten seconds for a peer with a higher head', async (t) => {
  let behind = 0;
  const view = aloneView({ blocksBehind: () => behind });
  const { clock, chain, producer, log } = world({}, START_SEC - HOUR_SEC, view);
  producer.start();
  clock.advance(8000);
  t.equal(chain.turns.length, 0);
  t.match(
    log.texts('info').filter((text) => text.startsWith('not producing')),
    [
      /^not producing: the last block is old, and this node goes on by itself when no peer has told of a higher head for/,
    ],
    'it says what it waits for, and no option that is of no use',
  );
  behind = 3;
  clock.advance(20_000);
  t.equal(chain.turns.length, 0, 'a peer has more');
  t.match(
    log.entries.filter(({ text }) => text.startsWith('not producing')).slice(1),
    [{ level: 'info', text: /a peer has told of a higher head, and its blocks are waited for/, values: { behind: 3 } }],
    'and it says that this is why, once',
  );
  behind = 0;
  clock.advance(9000);
  t.equal(chain.turns.length, 0, 'quiet for less than ten seconds');
  clock.advance(6000);
  t.ok(chain.turns.length > 0);
  producer.stop();
});

t.test('a foreign witness, a missing key, or no block at all: an old head is waited with', async (t) => {
  for (const [name, view, keep] of [
    ['a third witness', aloneView({ activeWitnesses: () => [1, 2, 3] }), true],
    ['another key', aloneView(), false],
    ['block 1', aloneView({ headNumber: () => 0 }), true],
    ['another begins the chain', aloneView({ headNumber: () => 0, mayBegin: false }), true],
    ['no active ones', aloneView({ activeWitnesses: () => [] }), true],
  ] as const) {
    const { clock, chain, producer } = world({}, START_SEC - HOUR_SEC, view);
    if (!keep) chain.keys.set(2, PrivateKey.fromSeed('another').publicKey);
    producer.start();
    clock.advance(30_000);
    t.equal(chain.turns.length, 0, name);
    producer.stop();
  }
});

t.test('the node that was chosen for it begins a chain, unless a peer has a block already', async (t) => {
  let behind = 0;
  const view = aloneView({ headNumber: () => 0, mayBegin: true, blocksBehind: () => behind });
  const { clock, chain, producer, log } = world({}, START_SEC - HOUR_SEC, view);
  producer.start();
  clock.advance(8000);
  behind = 1;
  clock.advance(20_000);
  t.equal(chain.turns.length, 0, 'the chain has begun elsewhere');
  behind = 0;
  clock.advance(15_000);
  t.ok(chain.turns.length > 0);
  t.match(
    log.texts('info').filter((text) => text.startsWith('not producing')),
    [/^not producing: the chain has no block yet, and this node makes the first one when no peer has told of one for/],
  );
  const said = log.entries.filter(({ text }) => text.startsWith('this node begins the chain'));
  t.match(said, [{ values: { witnesses: '1.6.1 1.6.2', peers: 'none with a higher head' } }]);
  producer.stop();
});
