import t from 'tap';
import { CODES, type Code, decide, type ProducerState, type SlotView } from '../../../src/witness/decide.js';

const OURS = 5;
const INTERVAL = 3;
const NEXT = 1_000_002;

/** A chain whose next slot begins at NEXT; odd slots are ours. */
function view(changes: Partial<SlotView> = {}): SlotView {
  return {
    slotTime: (slot) => (slot === 0 ? 0 : NEXT + (slot - 1) * INTERVAL),
    slotAt: (when) => (when < NEXT ? 0 : Math.floor((when - NEXT) / INTERVAL) + 1),
    scheduledWitness: (slot) => (slot % 2 === 1 ? OURS : 9),
    signingKey: () => 'key',
    participation: () => 5000,
    ...changes,
  };
}

function state(changes: Partial<ProducerState> = {}): ProducerState {
  return {
    nowSec: NEXT,
    isEnabled: true,
    isAlone: false,
    isOurs: (witness) => witness === OURS,
    hasKey: (key) => key === 'key',
    participationMin: 0,
    isSignedElsewhere: () => false,
    lastSignedSec: 0,
    ...changes,
  };
}

t.test('a turn', async (t) => {
  const { answer, isEnabled } = decide(view(), state());
  t.same(answer, { code: 'produced', slot: 1, slotSec: NEXT, witness: OURS, signingKey: 'key' });
  t.equal(isEnabled, true);
});

const CASES: readonly (readonly [name: string, code: Code, state: Partial<ProducerState>, view?: Partial<SlotView>])[] =
  [
    ['before the slot', 'not_time_yet', { nowSec: NEXT - 1 }],
    ['old head, not enabled', 'not_synced', { nowSec: NEXT + 1, isEnabled: false }],
    ['old head comes before whose turn it is', 'not_synced', { nowSec: NEXT + INTERVAL, isEnabled: false }],
    ['old head, enabled', 'produced', { nowSec: NEXT + 2 * INTERVAL }],
    ['head from long ago, enabled: the slot of now is made', 'produced', { nowSec: NEXT + 20_000_000 * INTERVAL }],
    ["someone else's slot", 'not_my_turn', { nowSec: NEXT + INTERVAL }],
    ['no key', 'no_private_key', { hasKey: () => false }],
    ['key comes before participation', 'no_private_key', { hasKey: () => false, participationMin: 9000 }],
    ['participation one below', 'low_participation', { participationMin: 5001 }],
    ['participation of one alone', 'produced', { participationMin: 5001, isAlone: true }],
    ['old head of one alone', 'produced', { isEnabled: false, isAlone: true }],
    ['participation just reached', 'produced', { participationMin: 5000 }],
    ['two seconds late', 'produced', { nowSec: NEXT + 2 }],
    ['three seconds late', 'lag', { nowSec: NEXT + 3 }, { slotAt: () => 1 }],
    ['three seconds early', 'lag', { nowSec: NEXT }, { slotTime: (slot) => NEXT + 3 * slot }],
    [
      'participation comes before lag',
      'low_participation',
      { participationMin: 5001 },
      { slotTime: (n) => NEXT + 3 * n },
    ],
    ['the slot before was signed', 'produced', { lastSignedSec: NEXT - 3 }],
    ['the slot was signed', 'slot_signed', { lastSignedSec: NEXT }],
    ['a later slot was signed', 'slot_signed', { lastSignedSec: NEXT + 300 }],
    ['another machine signs', 'signed_elsewhere', { isSignedElsewhere: (witness) => witness === OURS }],
    ['another machine signs for another witness', 'produced', { isSignedElsewhere: (witness) => witness !== OURS }],
    ['the other machine comes first', 'signed_elsewhere', { isSignedElsewhere: () => true, lastSignedSec: NEXT }],
  ];

t.test('every answer', async (t) => {
  for (const [name, code, given, changes] of CASES)
    t.equal(decide(view(changes), state(given)).answer.code, code, name);
});

t.test('a recent head enables production for good', async (t) => {
  const first = decide(view(), state({ isEnabled: false, nowSec: NEXT }));
  t.equal(first.answer.code, 'produced', 'the next slot may begin this very second');
  t.equal(first.isEnabled, true);
  const waiting = decide(view(), state({ isEnabled: false, nowSec: NEXT - 2 }));
  t.equal(waiting.isEnabled, true, 'also while it is not time yet');
  t.equal(decide(view(), state({ isEnabled: false, nowSec: NEXT + 1 })).isEnabled, false);
});

t.test('the numbers are those of the family, and two more', async (t) => {
  t.same(Object.values(CODES), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});
