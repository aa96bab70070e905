import t from 'tap';
import { concatBytes, fromHex } from '../../src/base/bytes.js';
import type { ErrorRow } from '../../src/base/errors.js';
import { READ_ERRORS } from '../../src/codec/reader.js';
import { nameFromText } from '../../src/protocol/name.js';
import { RUN_ERRORS } from '../../src/vm/errors.js';
import { SYSTEM_ERRORS } from '../../src/vm/host/system.js';
import { INLINE_ERRORS } from '../../src/vm/inline-call.js';
import { INSTANCE_ERRORS } from '../../src/vm/instance.js';
import type { Assembler } from '../../src/vm/wasm/assembler.js';
import { ContractWorld, methods } from '../support/contract-world.js';
import { refused } from '../support/refused.js';
import { buildModule } from '../support/wasm-builder.js';

interface Inline {
  readonly sender: number;
  readonly contract: number | bigint;
  readonly method: string;
  readonly amount?: bigint;
  readonly asset?: bigint;
  readonly data?: Uint8Array;
}

function inline({ sender, contract, method, amount = 0n, asset = 0n, data = new Uint8Array(0) }: Inline): Uint8Array {
  const head = new DataView(new ArrayBuffer(40));
  head.setBigUint64(0, BigInt(sender), true);
  head.setBigUint64(8, BigInt(contract), true);
  head.setBigInt64(16, amount, true);
  head.setBigUint64(24, asset, true);
  head.setBigUint64(32, nameFromText(method), true);
  return concatBytes(new Uint8Array(head.buffer), Uint8Array.of(data.length), data);
}

/** Prints its number before and after it sends what it is told. */
function sender(label: string, sends: readonly Uint8Array[], last: (a: Assembler) => unknown = () => undefined) {
  return buildModule({
    imports: [
      'prints_l',
      'send_inline',
      'get_trx_sender',
      'get_trx_origin',
      'printi',
      'graphene_assert_code',
      'graphene_exit',
    ],
    data: [
      { at: 0, bytes: new TextEncoder().encode(`${label}(,) `) },
      ...sends.map((bytes, i) => ({ at: 1024 + 256 * i, bytes })),
    ],
    apply: (a) => {
      a.i32(0).i32(2).call(0).call(2).call(4).i32(2).i32(1).call(0).call(3).call(4);
      sends.forEach((bytes, i) => {
        a.i32(1024 + 256 * i)
          .i32(bytes.length)
          .call(1);
      });
      a.i32(3).i32(2).call(0);
      last(a);
    },
  });
}

const LEAF = 3000;
const A = 2000;
const B = 2001;

function world(): ContractWorld {
  const w = new ContractWorld();
  w.deploy(LEAF, sender('L', []), [...methods('go'), { name: nameFromText('free'), payable: false }]);
  return w;
}

t.test('queued calls run afterwards, depth first, with the right sender and origin', async (t) => {
  const w = world();
  const leaf = (from: number) => inline({ sender: from, contract: LEAF, method: 'go' });
  w.deploy(B, sender('B', [leaf(B)]), methods('go'));
  w.deploy(A, sender('A', [inline({ sender: A, contract: B, method: 'go' }), leaf(A)]), methods('go'));
  t.equal(w.call(A, 'go').console, 'A(17,17) B(2000,17) L(2001,17) L(2000,17) ');
  t.match(w.inlineCalls, [
    { sender: A, contract: B, amount: undefined },
    { sender: B, contract: LEAF },
    { sender: A, contract: LEAF },
  ]);
});

t.test('sends are counted, not levels', async (t) => {
  const sends = (count: number) => {
    const w = world();
    const leaf = inline({ sender: A, contract: LEAF, method: 'go' });
    w.deploy(A, sender('A', new Array(count).fill(leaf)), methods('go'));
    return () => w.call(A, 'go').console.match(/L/g)?.length;
  };
  t.equal(sends(4)(), 4);
  refused(t, INLINE_ERRORS.contract_inline_count, sends(5), { data: { m: 3 } });
  const w = world();
  w.deploy(A, sender('A', [inline({ sender: A, contract: A, method: 'go' })]), methods('go'));
  refused(
    t,
    INLINE_ERRORS.contract_inline_count,
    () => w.call(A, 'go'),
    'a contract may call itself, but not for ever',
  );
  w.inlineCallsMax = 0;
  t.throws(() => w.call(A, 'go'), { message: /can not exceed 0$/ });
});

t.test('amounts move before the code runs', async (t) => {
  const w = world();
  w.setBalance(BigInt(A), 1n, 100n);
  const pay = (amount: bigint) => {
    w.deploy(A, sender('A', [inline({ sender: A, contract: LEAF, method: 'go', amount, asset: 1n })]), methods('go'));
    return w.call(A, 'go');
  };
  pay(60n);
  t.equal(w.chain.balance(BigInt(LEAF), 1n), 60n);
  t.match(w.inlineCalls, [{ amount: { amount: 60n, asset: 1 } }]);
  t.throws(() => pay(60n), { message: 'Insufficient Balance' });
  pay(1n);
  t.equal(w.chain.balance(BigInt(LEAF), 1n), 61n, 'the smallest amount is one too');
});

t.test('what send_inline refuses', async (t) => {
  const send =
    (bytes: Uint8Array, change: (w: ContractWorld) => void = () => undefined) =>
    () => {
      const w = world();
      w.deploy(A, sender('A', [bytes]), methods('go'));
      change(w);
      return w.call(A, 'go');
    };
  const good = { sender: A, contract: LEAF, method: 'go' };
  t.doesNotThrow(send(inline(good)));
  t.doesNotThrow(send(concatBytes(inline(good), fromHex('ffff'))), 'more bytes are ignored');
  t.doesNotThrow(send(concatBytes(inline(good).subarray(0, 40), fromHex('80808080808080808000'))), 'ten bytes of zero');
  t.doesNotThrow(send(inline({ ...good, asset: 1n << 48n })), 'the asset of no amount is not looked at');
  const bytes = inline(good);
  const cases: [ErrorRow, () => unknown][] = [
    [INLINE_ERRORS.contract_inline_sender, send(inline({ ...good, sender: LEAF }))],
    [INLINE_ERRORS.contract_inline_amount, send(inline({ ...good, amount: -1n }))],
    [INLINE_ERRORS.contract_inline_account, send(inline({ ...good, contract: 17 }))],
    [INSTANCE_ERRORS.contract_instance_range, send(inline({ ...good, contract: (1n << 48n) | BigInt(LEAF) }))],
    [INSTANCE_ERRORS.contract_instance_range, send(inline({ ...good, amount: 1n, asset: 1n << 48n }))],
    [INLINE_ERRORS.contract_method_unknown, send(inline({ ...good, method: 'gone' }))],
    [INLINE_ERRORS.contract_method_not_payable, send(inline({ ...good, method: 'free', amount: 1n }))],
    [INLINE_ERRORS.contract_inline_data, send(bytes.subarray(0, 40))],
    [INLINE_ERRORS.contract_inline_data, send(inline({ ...good, data: new Uint8Array(5) }).subarray(0, 45))],
    [INLINE_ERRORS.contract_inline_data, send(concatBytes(bytes.subarray(0, 40), fromHex('80')))],
    [INLINE_ERRORS.contract_inline_data, send(concatBytes(bytes.subarray(0, 40), fromHex('ffff7f')))],
    // The length has 64 bits: 2^35, the largest number, ten bytes of nothing, and what does not fit.
    [READ_ERRORS.read_too_long, send(concatBytes(bytes.subarray(0, 40), fromHex('808080808001')))],
    [READ_ERRORS.read_too_long, send(concatBytes(bytes.subarray(0, 40), fromHex('ffffffffffffffffff01')))],
    [READ_ERRORS.read_varint, send(concatBytes(bytes.subarray(0, 40), fromHex('8080808080808080808000')))],
    [READ_ERRORS.read_varint, send(concatBytes(bytes.subarray(0, 40), fromHex('80808080808080808002')))],
    [READ_ERRORS.read_too_long, send(concatBytes(bytes.subarray(0, 40), fromHex('80808005')))],
    [INLINE_ERRORS.contract_inline_data, send(concatBytes(bytes.subarray(0, 40), fromHex('ffffff04')))],
    [
      INLINE_ERRORS.contract_inline_size,
      send(bytes, (w) => {
        w.inlineActionBytesMax = bytes.length - 1;
      }),
    ],
    [
      INLINE_ERRORS.contract_inline_disabled,
      send(bytes, (w) => {
        w.rules = { ...w.rules, inline_calls: false };
      }),
    ],
  ];
  for (const [row, work] of cases) refused(t, row, work);
  // Of five bytes four are there: the text counts down from what is missing of one.
  const short = send(inline({ ...good, data: new Uint8Array(5) }).subarray(0, 45));
  refused(t, INLINE_ERRORS.contract_inline_data, short, { data: { length: 45, over: -3 } });
  t.doesNotThrow(
    send(bytes, (w) => {
      w.inlineActionBytesMax = bytes.length;
    }),
    'the limit itself passes',
  );
  t.doesNotThrow(send(inline({ ...good, method: 'free' })), 'without amount nobody asks whether it is payable');
});

t.test('of several faults of an inline call the first one is told', async (t) => {
  const worst = { sender: LEAF, contract: 17, amount: -1n, method: 'gone' };
  const inOrder: [ErrorRow, object, ((w: ContractWorld) => void)?][] = [
    [
      INLINE_ERRORS.contract_inline_size,
      {},
      (w) => {
        w.inlineActionBytesMax = 40;
        w.inlineCallsMax = -1;
      },
    ],
    [
      INLINE_ERRORS.contract_inline_count,
      {},
      (w) => {
        w.inlineCallsMax = -1;
      },
    ],
    [INLINE_ERRORS.contract_inline_sender, {}],
    [INLINE_ERRORS.contract_inline_amount, { sender: A }],
    [INLINE_ERRORS.contract_inline_amount, { sender: A, contract: 1n << 48n }],
    [INSTANCE_ERRORS.contract_instance_range, { sender: A, amount: 1n, contract: 1n << 48n }],
    [INLINE_ERRORS.contract_inline_account, { sender: A, amount: 1n }],
    [INLINE_ERRORS.contract_method_unknown, { sender: A, amount: 1n, contract: LEAF }],
  ];
  for (const [row, better, change] of inOrder) {
    const w = world();
    w.deploy(A, sender('A', [inline({ ...worst, ...better })]), methods('go'));
    change?.(w);
    refused(t, row, () => w.call(A, 'go'));
  }
});

t.test('a failing callee fails everything, an exit does not', async (t) => {
  const w = world();
  w.deploy(
    B,
    sender('B', [], (a) => a.i32(0).i64(4242n).call(5)),
    methods('go'),
  );
  w.deploy(A, sender('A', [inline({ sender: A, contract: B, method: 'go' })]), methods('go'));
  refused(t, SYSTEM_ERRORS.contract_assert_code, () => w.call(A, 'go'));
  w.deploy(
    A,
    sender('A', [inline({ sender: A, contract: LEAF, method: 'go' })], (a) => a.i32(0).call(6)),
    methods('go'),
  );
  t.match(w.call(A, 'go').console, /L\(2000,17\)/, 'queued calls run after graphene_exit');
});

t.test('a call that is queued keeps its data, whatever becomes of the memory', async (t) => {
  const w = world();
  const data = fromHex('0102030405');
  const clear = (a: Assembler) => a.i32(1024).i64(0n).op(0x37).u32(0).u32(41);
  w.deploy(A, sender('A', [inline({ sender: A, contract: LEAF, method: 'go', data })], clear), methods('go'));
  w.call(A, 'go');
  t.same(w.inlineCalls[0]?.data, data);
});

t.test('the bytes that are sent have a price', async (t) => {
  const used = [0, 100].map((length) => {
    const w = world();
    const data = new Uint8Array(length);
    w.deploy(A, sender('A', [inline({ sender: A, contract: LEAF, method: 'go', data })]), methods('go'));
    return w.call(A, 'go').session.instructionsUsed;
  }) as [bigint, bigint];
  t.equal(used[1] - used[0], 100n);
});

t.test('the budget is shared', async (t) => {
  const w = world();
  w.deploy(A, sender('A', [inline({ sender: A, contract: LEAF, method: 'go' })]), methods('go'));
  const { instructionsUsed } = w.call(A, 'go').session;
  t.equal(w.call(A, 'go', { instructions: instructionsUsed }).session.instructionsUsed, instructionsUsed);
  refused(t, RUN_ERRORS.contract_time_exceeded, () => w.call(A, 'go', { instructions: instructionsUsed - 1n }));
});
