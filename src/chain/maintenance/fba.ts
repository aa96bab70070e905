import { sub64 } from '../../base/int.js';
import { recordVirtual } from '../../operations/define.js';
import { PERCENT_100 } from '../../protocol/chain-parameters.js';
import { type Instance, ORIGINAL_CORE_ASSET } from '../../protocol/ids.js';
import type { Operation } from '../../protocol/operation-slot.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { fbaAccumulatorObject } from '../../state/objects/fba-accumulator.js';
import { adjustBalance } from '../../state/rules/balances.js';
import { burnCore } from '../../state/rules/cashback.js';
import { configuredFbaAsset } from '../../state/rules/fba.js';
import type { MaintenanceRun, MaintenanceStep } from './run.js';

const FBA_DISTRIBUTE = 44;
const BUYBACK_PERCENT = 6000n;
const ISSUER_PERCENT = 2000n;

/** Quirk: the shares are credited in 1.3.0 whatever the core asset is. */
function distribute(m: MaintenanceRun, fbaId: Instance, account: Instance, amount: bigint): void {
  if (amount === 0n) return;
  adjustBalance(m.state, account, ORIGINAL_CORE_ASSET, amount);
  const body = {
    fee: { amount: 0n, asset_id: ORIGINAL_CORE_ASSET },
    account_id: account,
    fba_id: fbaId,
    amount,
  };
  const operation: Operation = [FBA_DISTRIBUTE, body];
  recordVirtual(m.context.journal, operation, VOID_RESULT);
}

export const distributeFbaFees: MaintenanceStep = {
  name: 'distribute_fba_fees',
  run: (m) => {
    const s = m.state;
    for (const accumulator of s.all(fbaAccumulatorObject)) {
      const fees = accumulator.accumulated_fba_fees;
      if (fees === 0n) continue;
      const asset = configuredFbaAsset(s, accumulator.designated_asset);
      if (asset === undefined) {
        burnCore(s, fees);
      } else {
        const forBuyback = (fees * BUYBACK_PERCENT) / BigInt(PERCENT_100);
        const forIssuer = (fees * ISSUER_PERCENT) / BigInt(PERCENT_100);
        burnCore(s, sub64(sub64(fees, forBuyback), forIssuer));
        distribute(m, accumulator.id, asset.buyback_account as Instance, forBuyback);
        distribute(m, accumulator.id, asset.issuer, forIssuer);
      }
      s.modify(fbaAccumulatorObject, accumulator, (o) => {
        o.accumulated_fba_fees = 0n;
      });
    }
  },
};
