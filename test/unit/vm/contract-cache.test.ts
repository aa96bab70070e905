import t from 'tap';
import { ContractCache } from '../../../src/vm/contract-cache.js';
import { joinedData } from '../../../src/vm/contract-start.js';
import { WASM_ERRORS } from '../../../src/vm/errors.js';
import {
  INSTRUCTIONS_PER_MICROSECOND,
  instructionsFromMicroseconds,
  microsecondsFromInstructions,
  VM_LIMITS,
} from '../../../src/vm/limits.js';
import { refused } from '../../support/refused.js';
import { buildModule } from '../../support/wasm-builder.js';

const CODE = buildModule({});

t.test('compiled modules are kept by code hash', async (t) => {
  const cache = new ContractCache();
  const first = cache.get('a', CODE);
  t.equal(cache.get('a', new Uint8Array(0)), first, 'the code is not looked at again');
  t.not(cache.get('b', CODE), first);
});

t.test('small contracts take room beyond their code; the one used longest ago leaves', async (t) => {
  const ENTRIES = 20;
  const cache = new ContractCache({}, ENTRIES * (CODE.length + VM_LIMITS.module_entry_bytes));
  const first = cache.get('first', CODE);
  for (let i = 0; i < ENTRIES; i++) {
    cache.get(`${i}`, CODE);
    t.equal(cache.get('first', CODE), first);
  }
  t.equal(cache.size, ENTRIES);
  for (let i = 0; i < ENTRIES; i++) cache.get(`later ${i}`, CODE);
  t.not(cache.get('first', CODE), first);
});

t.test('thousands of small contracts are kept', async (t) => {
  const cache = new ContractCache();
  const first = cache.get('first', CODE);
  for (let i = 0; i < 2000; i++) cache.get(`${i}`, CODE);
  t.equal(cache.get('first', CODE), first, 'whoever has many called in turn has none of them compiled again');
});

t.test('few instances wait to be used again: each takes gigabytes of addresses', async (t) => {
  const cache = new ContractCache();
  const ran = (name: string) => {
    const contract = cache.get(name, CODE);
    const exports = contract.instance({ env: {} });
    cache.release(contract, exports);
    return exports;
  };
  const first = ran('first');
  t.equal(ran('first'), first);
  for (let i = 0; i < VM_LIMITS.idle_instances_max - 1; i++) ran(`${i}`);
  t.equal(ran('first'), first, 'as many wait');
  for (let i = 0; i < VM_LIMITS.idle_instances_max; i++) ran(`later ${i}`);
  t.equal(cache.idleInstances, VM_LIMITS.idle_instances_max);
  t.not(ran('first'), first);
});

t.test('the cache is bounded by bytes of code', async (t) => {
  const nops = 64 * 1024;
  const large = buildModule({ apply: (a) => a.raw(new Uint8Array(nops).fill(1)) });
  const cache = new ContractCache({}, 3 * (large.length + VM_LIMITS.module_entry_bytes));
  for (let i = 0; i < 10; i++) cache.get(`${i}`, large);
  t.equal(cache.size, 3);
  const huge = buildModule({ apply: (a) => a.raw(new Uint8Array(4 * nops).fill(1)) });
  cache.get('huge', huge);
  t.equal(cache.size, 1, 'the newest is kept, however large');
  cache.get('small', large);
  t.equal(cache.size, 1, 'until the next one comes');
});

t.test('that a contract does not compile is remembered too', async (t) => {
  const cache = new ContractCache({}, 3 * (CODE.length + VM_LIMITS.module_entry_bytes));
  refused(t, WASM_ERRORS.wasm_malformed, () => cache.get('bad', new Uint8Array(8)));
  refused(t, WASM_ERRORS.wasm_malformed, () => cache.get('bad', CODE), 'the code is not looked at again');
  t.equal(cache.size, 1);
  const errors = [0, 1].map(() => {
    try {
      return cache.get('bad', CODE);
    } catch (error) {
      return error;
    }
  });
  t.not(errors[0], errors[1], 'each call has an error of its own');
  for (let i = 0; i < 3; i++) cache.get(`${i}`, CODE);
  t.doesNotThrow(() => cache.get('bad', CODE), 'until others need the room');
});

t.test('data segments leave few ranges', async (t) => {
  const at = (base: number, ...bytes: number[]) => ({ base, bytes: Uint8Array.from(bytes) });
  const joined = (...segments: ReturnType<typeof at>[]) =>
    joinedData(segments).map(({ base, bytes }) => [base, ...bytes]);
  t.same(joined(), []);
  t.same(joined(at(5)), [], 'nothing is not copied');
  t.same(joined(at(5, 1, 2), at(3, 3, 4)), [[3, 3, 4, 1, 2]], 'in any order');
  t.same(joined(at(3, 1, 2, 3), at(4, 9)), [[3, 1, 9, 3]], 'the later one counts');
  t.same(joined(at(4, 9), at(3, 1, 2, 3)), [[3, 1, 2, 3]], 'wherever it begins');
  t.same(joined(at(0, 1), at(3, 2), at(1, 0)), [[0, 1, 0, 0, 2]], 'zeros in between');
  t.same(
    joined(at(0, 1), at(65_537, 2)),
    [
      [0, 1],
      [65_537, 2],
    ],
    'but no page of them',
  );
  const many = Array.from({ length: 8191 }, (_, i) => at(8 * i, 1));
  t.equal(joinedData(many).length, 1);
});

t.test('instructions and microseconds', async (t) => {
  t.equal(instructionsFromMicroseconds(10), 10n * INSTRUCTIONS_PER_MICROSECOND);
  t.equal(microsecondsFromInstructions(0n), 1, 'never 0: that would say "not measured"');
  t.equal(microsecondsFromInstructions(INSTRUCTIONS_PER_MICROSECOND), 1);
  t.equal(microsecondsFromInstructions(INSTRUCTIONS_PER_MICROSECOND + 1n), 2);
  t.equal(microsecondsFromInstructions(1n << 60n), 0xffffffff);
});
