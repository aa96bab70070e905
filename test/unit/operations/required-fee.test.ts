import fc from 'fast-check';
import t from 'tap';
import type { Json } from '../../../src/codec/json.js';
import { OPERATIONS } from '../../../src/operations/index.js';
import { PIPELINE_ERRORS, requiredFee } from '../../../src/operations/pipeline.js';
import {
  convertBelow,
  convertQuote,
  defaultFeeParameters,
  FEE_NESTING_ERRORS,
  FEE_QUOTE_ERRORS,
  type NestedQuote,
  quoteFee,
  quoteNested,
  zeroFeeSchedule,
} from '../../../src/operations/required-fee.js';
import { ASSET_ERRORS, makeAsset, SHARE_SUPPLY_MAX } from '../../../src/protocol/asset.js';
import { type FeeSchedule, feeSchedule } from '../../../src/protocol/chain-parameters.js';
import { coreTarget } from '../../../src/protocol/fee-target.js';
import { type FeeParameters, type Operation, operation } from '../../../src/protocol/operation-slot.js';
import { defaultFeeSchedule } from '../../support/default-fees.js';
import { accountText, amountJson, FreeWorld } from '../../support/free-world.js';
import { NETWORK } from '../../support/network.js';
import { refused } from '../../support/refused.js';

const CORE = 1;
const target = (base: bigint, quote: bigint) => ({
  core: CORE,
  rate: { base: makeAsset(base, CORE), quote: makeAsset(quote, 5) },
});
const op = (tag: number, body: Record<string, Json> = {}): Operation => operation.fromJson([tag, body], NETWORK);
const propose = (...inner: Operation[]): Operation =>
  op(22, { proposed_ops: inner.map((one) => ({ op: operation.toJson(one, NETWORK) })) });
const TRANSFER = op(0, { to: '1.2.6' });

t.test('a schedule without an entry means the built-in price', async (t) => {
  const empty: FeeSchedule = { parameters: [], scale: 10_000 };
  for (const { tag, name } of OPERATIONS) {
    const one: Operation = [tag, OPERATIONS[tag]?.schema.default() as unknown as Operation[1]];
    t.equal(requiredFee(empty, one), requiredFee(defaultFeeSchedule(), one), name);
    t.equal(requiredFee(zeroFeeSchedule(), one), 0n, `${name} for nothing`);
  }
  t.same(defaultFeeParameters(0), { fee: 100_000n, price_per_kbyte: 1_000_000 });
});

t.test('schedules survive the way through JSON, and what they leave out keeps its default', async (t) => {
  for (const schedule of [defaultFeeSchedule(), zeroFeeSchedule()]) {
    t.same(feeSchedule.fromJson(feeSchedule.toJson(schedule, NETWORK), NETWORK), schedule);
  }
  const partial = feeSchedule.fromJson({ parameters: [[0, { fee: 7 }]] }, NETWORK);
  t.same(partial, { parameters: [[0, { fee: 7n, price_per_kbyte: 1_000_000 }]], scale: 10_000 });
});

t.test('prices', async (t) => {
  const schedule = defaultFeeSchedule();
  const cases: readonly (readonly [Operation, bigint, string])[] = [
    [TRANSFER, 100_000n, 'transfer'],
    // A presence byte, two keys, a nonce, and 2000 bytes with their length: 2077 bytes.
    [op(0, { memo: { message: 'ab'.repeat(2000) } }), 100_000n + (2077n * 1_000_000n) / 1024n, 'with a memo'],
    [op(5, { name: 'x-1' }), 100_000n + (72n * 100_000n) / 1024n, 'a cheap name'],
    [op(5, { name: 'xyz' }), 200_000_000n + (72n * 100_000n) / 1024n, 'a dear name'],
    [op(6, {}), 100_000n, 'an account update'],
    [op(6, { new_options: {} }), 100_000n + (54n * 100_000n) / 1024n, 'one that brings options'],
    [op(8, {}), 100_000_000n, 'annual membership'],
    [op(8, { upgrade_to_lifetime_member: true }), 200_000_000n, 'lifetime membership'],
    [op(10, { symbol: 'ABC' }), 100_000_000_000n, 'three letters'],
    [op(10, { symbol: 'ABCD' }), 80_000_000_000n, 'four letters'],
    [op(10, { symbol: 'ABCDE' }), 50_000_000_000n, 'more letters'],
    [op(14, {}), 10_000_000_000n + 100_000n / 1024n, 'quirk: a byte for no memo'],
    [
      op(36, {
        predicates: [
          [0, {}],
          [0, {}],
        ],
      }),
      200_000n,
      'by predicate',
    ],
    [op(39, { outputs: [{}, {}] }), 1_500_000n, 'by output'],
    [op(40, { outputs: [{}] }), 1_000_000n, 'by output'],
  ];
  for (const [one, fee, what] of cases) t.equal(requiredFee(schedule, one), fee, what);
});

t.test('scale', async (t) => {
  const scaled = (scale: number) => requiredFee({ ...defaultFeeSchedule(), scale }, TRANSFER);
  t.equal(scaled(5000), 50_000n);
  t.equal(scaled(1), 10n);
  t.equal(scaled(0), 0n);
  const dear: FeeSchedule = { parameters: [[0, { fee: SHARE_SUPPLY_MAX, price_per_kbyte: 0 }]], scale: 10_000 };
  t.equal(requiredFee(dear, TRANSFER), SHARE_SUPPLY_MAX);
  refused(t, PIPELINE_ERRORS.fee_above_supply, () => requiredFee({ ...dear, scale: 10_001 }, TRANSFER));
});

t.test('quirk: fees are summed in 64 bits and read without a sign', async (t) => {
  const priced = (entry: FeeParameters, scale = 10_000): FeeSchedule => ({ parameters: [entry], scale });
  for (const [tag, body] of [
    [6, { new_options: {} }],
    [7, {}],
    [21, {}],
    [77, {}],
    [83, {}],
    [84, {}],
  ] as const) {
    const entry: FeeParameters = [tag, { fee: -1n, price_per_kbyte: 0 }];
    refused(t, PIPELINE_ERRORS.fee_above_supply, () => requiredFee(priced(entry), op(tag, body)), `${tag}`);
    t.equal(
      requiredFee(priced(entry, 1), op(tag, body)),
      ((1n << 64n) - 1n) / 10_000n,
      `${tag}: dear at a small scale`,
    );
  }
  const half: FeeParameters = [36, { fee: 1n << 63n }];
  const isTrue: Json = [0, {}];
  t.equal(requiredFee(priced(half), op(36, { predicates: [isTrue, isTrue] })), 0n, 'two halves are nothing');
  refused(t, PIPELINE_ERRORS.fee_above_supply, () => requiredFee(priced(half), op(36, { predicates: [isTrue] })));
  const nearlyAll: FeeParameters = [0, { fee: (1n << 64n) - 1n, price_per_kbyte: 1024 }];
  t.equal(requiredFee(priced(nearlyAll), op(0, { memo: { message: 'ab' } })), 76n, 'a memo of 77 bytes wraps the sum');
});

t.test('a negative fee parameter lets nobody through', async (t) => {
  const world = new FreeWorld();
  const account = world.lifetimeMember('member', 1000n);
  const list = () => world.run(7, { authorizing_account: accountText(account), account_to_list: '1.2.1' });
  list();
  world.setParameters({ current_fees: { parameters: [[7, { fee: -1n }]], scale: 10_000 } });
  refused(t, PIPELINE_ERRORS.fee_above_supply, list);
});

t.test('any fee will do for a payment for data, whatever the schedule says', async (t) => {
  const world = new FreeWorld();
  const [from, to] = ['from', 'to'].map((name) => accountText(world.account(name, {}, 1000n)));
  world.setParameters({ current_fees: { parameters: [[57, { fee: 100n, transaction_fee_ratio: 0 }]], scale: 10_000 } });
  const payment = { from: from as string, to: to as string, amount: amountJson(1, 1), request_id: 'unknown' };
  t.same(world.run(57, payment), [0, {}]);
});

t.test('a quote in another asset covers the price when it is converted back, and no more', async (t) => {
  const amount = fc.bigInt({ min: 1n, max: 10_000_000n });
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 9n }), amount, amount, (core, base, quote) => {
      const { amount: fee, asset_id } = convertQuote(core, target(base, quote));
      const back = (units: bigint) => (units * base) / quote;
      return (
        asset_id === 5 && back(fee) >= core && (fee === 0n || back(fee - 1n) < core || fee === (core * quote) / base)
      );
    }),
    { seed: 3, numRuns: 1000 },
  );
  t.same(quoteFee(defaultFeeSchedule(), TRANSFER, coreTarget(CORE)), makeAsset(100_000n, CORE));
  refused(t, ASSET_ERRORS.amount_above_supply, () => convertQuote(SHARE_SUPPLY_MAX, target(1n, 2n)));
  // Three core units are 10^17 and a half: the half makes it one more than there may be.
  refused(t, FEE_QUOTE_ERRORS.fee_quote_above_supply, () => convertQuote(3n, target(2n, 66_666_666_666_666_667n)));
  refused(t, ASSET_ERRORS.price_base_empty, () => convertQuote(1n, target(0n, 1n)));
});

t.test('the fee is weighed with the operation: the dearer of its two forms is quoted', async (t) => {
  // A byte costs 1000; the id of asset 200 has two.
  const schedule: FeeSchedule = { parameters: [[35, { fee: 5n, price_per_kbyte: 1_024_000 }]], scale: 10_000 };
  const far = { core: CORE, rate: { base: makeAsset(1n, CORE), quote: makeAsset(1n, 200) } };
  const custom = (asset_id: string): Operation => op(35, { fee: { amount: 1, asset_id }, data: 'abcd' });
  const [near, own] = [custom('1.3.0'), custom('1.3.200')];
  const price = requiredFee(schedule, near);
  t.equal(requiredFee(schedule, own), price + 1000n);
  t.same(quoteFee(schedule, near, far), makeAsset(price + 1000n, 200), 'it stood in a nearer asset before');
  t.same(quoteFee(schedule, own, far), makeAsset(price + 1000n, 200));
  t.same(quoteFee(schedule, own, coreTarget(CORE)), makeAsset(price + 1000n, CORE), 'in a farther one');
  t.same(quoteFee(schedule, near, coreTarget(CORE)), makeAsset(price, CORE));
});

t.test('what a contract costs is converted downwards', async (t) => {
  t.equal(convertBelow(101n, target(10n, 7n)).amount, 70n);
  t.equal(convertQuote(101n, target(10n, 7n)).amount, 71n);
});

t.test('quirk: a rate with the core asset as its quote has no quotes', async (t) => {
  const turned = { core: CORE, rate: { base: makeAsset(1n, 5), quote: makeAsset(1n, CORE) } };
  refused(t, FEE_QUOTE_ERRORS.fee_quote_rate, () => convertQuote(1n, turned));
  const dearer = { ...turned, rate: { ...turned.rate, base: makeAsset(2n, 5) } };
  refused(t, ASSET_ERRORS.amount_above_supply, () => convertQuote(SHARE_SUPPLY_MAX, dearer), 'the product comes first');
});

t.test('proposals are quoted level by level', async (t) => {
  const quote = (one: Operation) => quoteFee(defaultFeeSchedule(), one, coreTarget(CORE));
  const { quote: found, operation: filled } = quoteNested(propose(TRANSFER, propose(TRANSFER)), quote);
  const shape = ({ fee, inner }: NestedQuote): unknown =>
    inner === undefined ? fee.amount : [fee.amount, inner.map(shape)];
  t.same(shape(found), [2_000_000n, [100_000n, [2_000_000n, [100_000n]]]]);
  const json = JSON.stringify(operation.toJson(filled, NETWORK));
  t.equal(json.match(/"fee":\{"amount":100000,"asset_id":"1.3.1"\}/g)?.length, 2, 'and the fees are filled in');
  t.equal(json.match(/"fee":\{"amount":2000000,"asset_id":"1.3.1"\}/g)?.length, 2);
  const nested = (levels: number): Operation => (levels === 0 ? TRANSFER : propose(nested(levels - 1)));
  t.doesNotThrow(() => quoteNested(nested(4), quote));
  refused(t, FEE_NESTING_ERRORS.fee_quote_nesting, () => quoteNested(nested(5), quote));
});
