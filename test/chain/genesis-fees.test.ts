import { globalPropertyObject } from '../../src/state/objects/global-property.js';
import { worldTest } from '../support/world.js';

worldTest(
  'a genesis with more accounts than one step of the fee scale',
  {
    witnesses: 3,
    accounts: { alice: 0n, bob: 0n, carol: 0n },
    parameters: {
      accounts_per_fee_scale: 2,
      account_fee_scale_bitshifts: 2,
      current_fees: { parameters: [[5, { basic_fee: 64_000, premium_fee: 0, price_per_kbyte: 0 }]], scale: 0 },
    },
  },
  (t, w) => {
    const basicFee = (): unknown => {
      const entry = w.state.single(globalPropertyObject).parameters.current_fees.parameters.find(([tag]) => tag === 5);
      return (entry?.[1] as { basic_fee: bigint } | undefined)?.basic_fee;
    };
    // Quirk: six registrations were counted while nothing cost anything. The first maintenance, in block 1, takes back
    // three steps of two bits that were never added to the real fee.
    t.equal(basicFee(), 64_000n >> 6n);
    w.maintenance();
    t.equal(basicFee(), 1000n, 'once');
  },
);
