import t from 'tap';
import { RUN_ERRORS } from '../../src/vm/errors.js';
import { HOST_FUNCTIONS } from '../../src/vm/host/index.js';
import { EMPTY, I64 } from '../../src/vm/wasm/module.js';
import { OP } from '../../src/vm/wasm/opcodes.js';
import { outcomeOf } from '../refusals/define.js';
import { probe } from '../support/host-probe.js';
import { refused } from '../support/refused.js';
import { runModule } from '../support/vm-run.js';
import { buildModule } from '../support/wasm-builder.js';

/** Arguments as the signature names them, one entry per WebAssembly parameter. */
function slots(signature: string): string[] {
  const words = (signature.split('>')[0] ?? '').split(' ').filter((word) => word !== '');
  return words.flatMap((word) => (word === 'P' ? ['P', 'L'] : [word]));
}

/** The memory functions take ranges whose length they share, so their signatures cannot say it. */
const RANGES: Readonly<Record<string, string>> = {
  memcpy: 'D S N',
  memmove: 'D S N',
  memset: 'D i N',
  memcmp: 'D S N',
};

const SAFE: Readonly<Record<string, number>> = { P: 1024, L: 4, Z: 1024, D: 512, S: 1024, N: 4 };
const MEMORY = 65_536;

t.equal(HOST_FUNCTIONS.size, 117);

for (const { name, signature } of HOST_FUNCTIONS.values()) {
  const kinds = slots(RANGES[name] ?? signature);
  const pointers = kinds.flatMap((kind, index) => (/^[PRZDS]/.test(kind) ? [index] : []));
  if (pointers.length === 0) continue;
  t.test(`${name}: pointers`, async (t) => {
    const call = (index: number, pointer: number, length?: number) => () => {
      const args = kinds.map((kind) => (kind.startsWith('R') ? 2048 : (SAFE[kind] ?? 0)));
      args[index] = pointer;
      const lengthAt = kinds[index] === 'P' ? index + 1 : kinds.indexOf('N');
      if (length !== undefined && lengthAt >= 0) args[lengthAt] = length;
      return probe([[name, ...args]]);
    };
    for (const index of pointers) {
      const kind = kinds[index] as string;
      const bytes = kind.startsWith('R') ? Number(kind.slice(1)) : kind === 'Z' ? 1 : 4;
      const violation = RUN_ERRORS.contract_access_violation;
      refused(t, violation, call(index, MEMORY - bytes + 1, 4), `argument ${index}: one byte too far`);
      const last = outcomeOf(call(index, MEMORY - bytes, 4));
      const key = typeof last === 'string' ? last : last.key;
      t.not(key, violation.key, `argument ${index}: up to the last byte`);
      t.not(key, RUN_ERRORS.contract_unterminated_string.key, `argument ${index}: the last byte may be the NUL`);
      refused(t, violation, call(index, MEMORY + 1, 0), `argument ${index}: behind the end, even without length`);
      refused(t, violation, call(index, -4, 4), `argument ${index}: no wrap around`);
      if (kind.startsWith('R')) {
        refused(t, RUN_ERRORS.contract_null_reference, call(index, 0), `argument ${index}: null`);
      } else if (kind !== 'Z') {
        refused(t, RUN_ERRORS.contract_length_overflow, call(index, 16, 0x7fffffff), `argument ${index}: length`);
        refused(t, violation, call(index, 16, 0x7ffffffe), `argument ${index}: longest length`);
        refused(t, RUN_ERRORS.contract_length_overflow, call(index, 16, -1), `argument ${index}: negative length`);
      } else {
        const place = { [MEMORY - 4]: Uint8Array.of(65, 65, 65, 65) };
        const unterminated = () => probe([[name, ...kinds.map((k) => (k === 'Z' ? MEMORY - 4 : 1))]], { place });
        refused(t, RUN_ERRORS.contract_unterminated_string, unterminated, `argument ${index}: no NUL`);
      }
    }
  });
}

t.test('without a memory there is no place for anything', async (t) => {
  for (const { name, signature, type } of HOST_FUNCTIONS.values()) {
    const kinds = slots(RANGES[name] ?? signature);
    if (!kinds.some((kind) => /^[PZDS]/.test(kind))) continue;
    const code = buildModule({
      memory: null,
      imports: [name],
      apply: (a) => {
        for (const parameter of type.parameters) {
          if (parameter === I64) a.i64(0n);
          else a.i32(0);
        }
        a.call(0);
        if (type.result !== EMPTY) a.op(OP.drop);
      },
    });
    // References are null, which is said first.
    const row = kinds.some((kind) => kind.startsWith('R'))
      ? [RUN_ERRORS.contract_null_reference, RUN_ERRORS.contract_access_violation]
      : [RUN_ERRORS.contract_access_violation];
    const outcome = outcomeOf(() => runModule(code));
    t.ok(outcome !== 'not refused' && row.some(({ key }) => key === outcome.key), name);
  }
});

t.test('the last argument is checked first', async (t) => {
  refused(t, RUN_ERRORS.contract_null_reference, () => probe([['sha256', -1, 4, 0]]));
  refused(t, RUN_ERRORS.contract_access_violation, () => probe([['sha256', -1, 4, 64]]));
  refused(t, RUN_ERRORS.contract_access_violation, () => probe([['assert_recover_key', 0, 0, -1, 4]]));
  refused(t, RUN_ERRORS.contract_null_reference, () => probe([['verify_signature', -1, 4, 0, 64, 4]]));
});
