import t from 'tap';
import type { Json } from '../../src/codec/json.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { publicKeyToText } from '../../src/crypto/public-key.js';
import { DEV_ACCOUNTS } from '../../src/node/dev/dev-network.js';
import { proxyTransferParams } from '../../src/protocol/proxy-transfer.js';
import { authorize, marketCallText, signText } from '../../src/trade/authorization.js';
import { openSealed, sealPacket } from '../../src/trade/packets.js';
import { CHECK_ERRORS, KEYSTORE_ERRORS } from '../../src/wallet/errors.js';
import { startDevNode } from '../support/dev-node.js';
import { refusedLater } from '../support/refused.js';
import { walletOn } from './support/wallet-on.js';

/** What the wallet signs, seals and opens for pages of data markets: the same as whoever has the key, and nothing else. */

const dev = await startDevNode(t.testdir());
dev.clock.advance(9_000);
const alice = DEV_ACCOUNTS.find(({ name }) => name === 'alice')?.key ?? PrivateKey.fromSeed('nobody');
const opened = await walletOn(dev, t.testdir(), 'alice', { alice: alice.toWif() });
t.teardown(async () => {
  await opened.close();
  await dev.node.stop();
});
const id = await opened.run<string>('get_account_id', 'alice');
const other = PrivateKey.fromSeed('a source of data');
const otherKey = publicKeyToText(other.publicKey, 'GXC');

const request = (memo: string): Json => ({
  from: id,
  to: '1.2.49',
  proxy_account: '1.2.50',
  amount: { amount: 1000, asset_id: '1.3.1' },
  percentage: 1000,
  memo,
  expiration: '2030-01-01T00:00:00',
  signatures: [],
});

t.test('calls of a market and bindings, as who has the key signs them', async (t) => {
  const call = { method: 'GET', target: '/market/merchant/self', body: new Uint8Array() };
  for (const text of [marketCallText(id, call, '1700000000000'), `${id}|1|https://a.example/ä|1700000000000`]) {
    t.equal(await opened.run('sign_market_text', 'alice', text), signText(text, alice), text);
  }
});

t.test('no other text: one could be the bytes of a payment', async (t) => {
  const others = [
    'anything',
    '1.2.9999|1|http://a.example|1700000000000',
    'market-v1|1.2.9999|GET|/|00|1',
    `${id}0|1|http://a.example|1`,
    `${id}|1|\u0000|1`,
    `market-v1|${id}|\n`,
  ];
  for (const text of others) {
    await refusedLater(
      t,
      CHECK_ERRORS.market_text,
      opened.run('sign_market_text', 'alice', text),
      JSON.stringify(text),
    );
  }
});

t.test('a payment', async (t) => {
  const given = request('a'.repeat(32));
  const { signatures: _, ...unsigned } = proxyTransferParams.fromJson(given);
  const signed = await opened.run<Json>('sign_data_payment', given);
  t.same(proxyTransferParams.fromJson(signed), authorize(unsigned, alice));
});

t.test('packets, in both directions', async (t) => {
  const sealed = await opened.run<string>('seal_data', 'alice', otherKey, '77', '{"city":"杭州"}');
  t.equal(Buffer.from(openSealed(other, alice.publicKey, '77', sealed)).toString(), '{"city":"杭州"}');
  const answer = sealPacket(other, alice.publicKey, '78', '{"rain":true}');
  t.equal(await opened.run('open_data', 'alice', otherKey, '78', answer), '{"rain":true}');
});

t.test('with keys that it has, and unlocked', async (t) => {
  await refusedLater(t, KEYSTORE_ERRORS.key_missing, opened.run('seal_data', 'bob', otherKey, '1', 'x'));
  opened.wallet.ring.lock();
  for (const [name, ...args] of [
    ['sign_market_text', 'alice', `${id}|`],
    ['sign_data_payment', request('')],
    ['seal_data', 'alice', otherKey, '1', 'x'],
    ['open_data', 'alice', otherKey, '1', '00'],
  ] as const) {
    await refusedLater(t, KEYSTORE_ERRORS.wallet_locked, opened.run(name, ...(args as readonly Json[])), name);
  }
});
