import t from 'tap';
import { memoNonce, readMemo, writeMemo } from '../../src/client/memos.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { NULL_PUBLIC_KEY, type PublicKey } from '../../src/crypto/public-key.js';
import type { MemoData } from '../../src/protocol/memo.js';
import { memoData } from '../../src/protocol/memo.js';
import { runCommand } from '../../src/wallet/commands/index.js';
import { NETWORK } from '../support/network.js';
import { linkTo, openRecorded, recordedChain } from './support/frozen.js';

/** What a memo says to whom, and what a wallet says of one that it cannot read. */

const [sender, receiver, other] = ['sender', 'receiver', 'other'].map((seed) => PrivateKey.fromSeed(seed));
if (sender === undefined || receiver === undefined || other === undefined) throw new Error('three keys');
const TEXT = 'customer 42: grüße 漢字';
const memo = writeMemo(sender, receiver.publicKey, 7n, TEXT);
const plain: MemoData = {
  from: NULL_PUBLIC_KEY,
  to: NULL_PUBLIC_KEY,
  nonce: 0n,
  message: Uint8Array.from([0, 0, 0, 0, ...new TextEncoder().encode(TEXT)]),
};
const change = (bytes: Uint8Array, at: number): Uint8Array =>
  Uint8Array.from(bytes, (byte, i) => (i === at ? byte ^ 1 : byte));
const holding =
  (...keys: readonly PrivateKey[]) =>
  (key: PublicKey): PrivateKey | undefined =>
    keys.find(({ publicKey }) => publicKey === key);
const NOW_MS = 1_790_000_000_000;
const READ = { kind: 'text', text: TEXT };

t.test('its receiver reads it, and so does its sender', async (t) => {
  t.same(readMemo(memo, holding(receiver)), READ);
  t.same(readMemo(memo, holding(sender)), READ, 'as its sender');
  t.same(readMemo(plain, holding()), READ, 'a plain one is for everybody');
});

t.test('others cannot, and that it is not for them is not that it is damaged', async (t) => {
  t.same(readMemo(memo, holding(other)), { kind: 'no key' });
  t.same(readMemo(memo, holding()), { kind: 'no key' });
});

t.test('a damaged one says so to those who could read it', async (t) => {
  const { message } = memo;
  const damaged: readonly (readonly [string, MemoData])[] = [
    ['a byte of it', { ...memo, message: change(message, 0) }],
    ['its last byte', { ...memo, message: change(message, message.length - 1) }],
    ['half of it', { ...memo, message: message.subarray(0, 16) }],
    ['no whole block', { ...memo, message: message.subarray(0, message.length - 1) }],
    ['nothing of it', { ...memo, message: new Uint8Array() }],
    ['another nonce', { ...memo, nonce: 8n }],
    ['another sender', { ...memo, from: other.publicKey }],
    ['a sender that is no point of the curve', { ...memo, from: `02${'ff'.repeat(32)}` }],
    ['nor even the form of one', { ...memo, from: `07${'11'.repeat(32)}` }],
  ];
  for (const [what, one] of damaged) t.same(readMemo(one, holding(receiver)), { kind: 'damaged' }, what);
  t.same(readMemo({ ...memo, message: change(message, 0) }, holding(other)), { kind: 'no key' });
});

t.test('memos of one millisecond have a nonce each', async (t) => {
  const random = { bytes: (count: number) => new Uint8Array(count).fill(7) };
  const nonces = Array.from({ length: 5000 }, () => memoNonce({ nowMs: () => NOW_MS }, random));
  t.equal(new Set(nonces).size, nonces.length);
  t.equal(nonces[0], (7n << 56n) | (BigInt(NOW_MS) * 1000n), 'the time in microseconds below a random byte');
  const earlier = NOW_MS - 3_600_000;
  const nonce = memoNonce({ nowMs: () => earlier }, random);
  t.equal(nonce, (7n << 56n) | (BigInt(earlier) * 1000n), 'a clock that was set back is believed');
});

t.test('the command answers the text or nothing, and the log tells why', async (t) => {
  const { wallet, log, remove } = await openRecorded('10-frozen-start.json', linkTo(recordedChain()));
  t.teardown(remove);
  wallet.ring.unlock('supersecret');
  wallet.ring.add(receiver);
  const read = async (one: MemoData): Promise<unknown> =>
    (await runCommand(wallet, 'read_memo', [memoData.toJson(one, NETWORK)])).result;
  t.equal(await read(memo), TEXT);
  t.equal(await read({ ...memo, message: change(memo.message, 0) }), '');
  t.equal(await read(writeMemo(sender, other.publicKey, 7n, TEXT)), '');
  const why = log.entries.filter(({ text }) => text === 'a memo cannot be read').map(({ values }) => values.why);
  t.same(why, ['damaged', 'no key']);
});
