import t from 'tap';
import { fieldFunctions as compiled, type FieldFunctions } from '../../../src/codec/field-functions.js';
import { fieldFunctions as looped } from '../../../src/codec/field-loops.js';
import type { JsonObject } from '../../../src/codec/json.js';
import { Reader } from '../../../src/codec/reader.js';
import type { Network } from '../../../src/codec/type.js';
import { Writer } from '../../../src/codec/writer.js';
import { transferOperation } from '../../../src/protocol/operations/transfers.js';

/** Both ways of going over the fields of a struct do the same, down to where a refusal says that it was. */

interface Body {
  readonly [name: string]: unknown;
}

const network: Network = { keyPrefix: 'GXC' };
const fields = transferOperation.schema.fields;
const [names, types] = [Object.keys(fields), Object.values(fields)];
const both = [compiled<Body>(names, types), looped<Body>(names, types)] as const;
const given: JsonObject = {
  from: '1.2.17',
  to: '1.2.18',
  amount: { amount: 5, asset_id: '1.3.1' },
  fee: { amount: 100, asset_id: '1.3.1' },
};

const told = (work: () => unknown): string => {
  try {
    return JSON.stringify(work(), (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
  } catch (error) {
    const { path, message } = error as { readonly path?: string; readonly message: string };
    return `${path}: ${message}`;
  }
};
const alike = (t: import('tap').Test, work: (one: FieldFunctions<Body>) => unknown): string => {
  const [a, b] = both.map((one) => told(() => work(one)));
  t.equal(a, b);
  return a as string;
};

t.test('from JSON, to bytes, and back', async (t) => {
  t.match(
    alike(t, (one) => one.fromObject(given, network)),
    /"from":17/,
  );
  t.match(
    alike(t, (one) => one.fromObject({}, network)),
    /"from":0/,
    'what is missing is its default',
  );
  const bytes = (one: FieldFunctions<Body>): Uint8Array => {
    const writer = new Writer();
    one.write(writer, one.fromObject(given, network));
    return writer.finish();
  };
  t.match(
    alike(t, (one) => [...bytes(one)]),
    /^\[100,0/,
  );
  t.match(
    alike(t, (one) => one.readFields(new Reader(bytes(one)))),
    /"to":18/,
  );
});

t.test('refusals say where', async (t) => {
  t.match(
    alike(t, (one) => one.fromObject({ ...given, to: 'nobody' }, network)),
    /^to: /,
  );
  t.match(
    alike(t, (one) => one.fromObject({ ...given, amount: { amount: 'x' } }, network)),
    /^amount\.amount: /,
  );
  t.match(
    alike(t, (one) => one.readFields(new Reader(Uint8Array.of(1)))),
    /^\w+.*: /,
  );
  t.match(
    alike(t, (one) => one.write(new Writer(), {})),
    /: /,
    'and what is no refusal stays what it is',
  );
});
