import t from 'tap';
import { INT_ERRORS } from '../../../src/base/int.js';
import { makeAsset } from '../../../src/protocol/asset.js';
import { MAINNET_FORKS } from '../../../src/protocol/forks.js';
import { fromCore } from '../../../src/state/rules/convert.js';
import { FreeWorld } from '../../support/free-world.js';
import { refused } from '../../support/refused.js';

t.test('the price of a contract call in another asset', async (t) => {
  for (const isOld of [true, false]) {
    const time = MAINNET_FORKS.HF_1013;
    const w = new FreeWorld(time + (isOld ? 0 : 1), { ...MAINNET_FORKS, HF_1016: time - 1 });
    const price = (base: bigint, quote: bigint): bigint => {
      w.changeAsset(2, { core_exchange_rate: { base: makeAsset(base, 1), quote: makeAsset(quote, 2) } });
      return fromCore(w.state, 100n, 2);
    };
    t.equal(price(50n, 5n), 10n);
    // The old rule makes an integer of the rate first.
    t.equal(price(7n, 5n), isOld ? 100n : 71n);
    t.equal(price(8n, 5n), isOld ? 100n : 62n);
    refused(t, INT_ERRORS.divide_by_zero, () => price(0n, 5n));
    // Without a quote the quotient of doubles has no end, or no value at all.
    for (const base of [5n, 0n]) {
      if (isOld || base === 0n) refused(t, INT_ERRORS.divide_by_zero, () => price(base, 0n));
      else t.equal(price(base, 0n), 0n);
    }
  }
});

t.test('the product comes first, and must have 63 bits whatever the quotient is', async (t) => {
  const w = new FreeWorld(MAINNET_FORKS.HF_1013 + 1);
  const price = (quote: bigint): bigint => {
    w.changeAsset(2, { core_exchange_rate: { base: makeAsset(10n ** 10n, 1), quote: makeAsset(quote, 2) } });
    return fromCore(w.state, 100n, 2);
  };
  t.equal(price(2n ** 63n / 100n), 922_337_203n);
  refused(t, INT_ERRORS.integer_overflow, () => price(2n ** 63n / 100n + 1n));
});

t.test('in the core asset it stays what it is, whatever the rate of that asset says', async (t) => {
  const w = new FreeWorld(MAINNET_FORKS.HF_1013 + 1);
  w.changeAsset(1, { core_exchange_rate: { base: makeAsset(7n, 1), quote: makeAsset(5n, 1) } });
  t.equal(fromCore(w.state, 100n, 1), 100n);
});
