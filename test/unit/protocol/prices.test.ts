import t from 'tap';
import { ASSET_ERRORS, makeAsset, multiplyByPrice } from '../../../src/protocol/asset.js';
import { refused } from '../../support/refused.js';

const SUPPLY_MAX = 100_000_000_000_000_000n;

t.test('an amount times a price', async (t) => {
  const rate = { base: makeAsset(3n, 1), quote: makeAsset(7n, 2) };
  t.same(multiplyByPrice(makeAsset(10n, 1), rate), makeAsset(23n, 2), 'rounded down');
  t.same(multiplyByPrice(makeAsset(10n, 2), rate), makeAsset(4n, 1));
  t.throws(() => multiplyByPrice(makeAsset(10n, 3), rate), { code: 10, message: /^invalid asset \* price, asset / });

  const same = { base: makeAsset(3n, 1), quote: makeAsset(7n, 1) };
  t.same(multiplyByPrice(makeAsset(10n, 1), same), makeAsset(23n, 1), 'the base is looked at first');

  const one = { base: makeAsset(1n, 1), quote: makeAsset(1n, 2) };
  t.same(multiplyByPrice(makeAsset(SUPPLY_MAX, 1), one), makeAsset(SUPPLY_MAX, 2));
  refused(t, ASSET_ERRORS.amount_above_supply, () => multiplyByPrice(makeAsset(SUPPLY_MAX + 1n, 1), one));
  refused(
    t,
    ASSET_ERRORS.amount_above_supply,
    () => multiplyByPrice(makeAsset(-1n, 1), one),
    'quirk: 128 bits, no sign',
  );
  const large = { base: makeAsset(2n ** 63n - 1n, 1), quote: makeAsset(1n, 2) };
  refused(t, ASSET_ERRORS.amount_above_supply, () => multiplyByPrice(makeAsset(-1n, 1), large));

  const none = { base: makeAsset(0n, 1), quote: makeAsset(0n, 2) };
  refused(t, ASSET_ERRORS.price_base_empty, () => multiplyByPrice(makeAsset(1n, 1), none));
  refused(t, ASSET_ERRORS.price_quote_empty, () => multiplyByPrice(makeAsset(1n, 2), none));
});
