import { sub64 } from '../../base/int.js';
import { WITNESS_PAY_VESTING_SEC } from '../../protocol/chain-parameters.js';
import {
  COMMITTEE_ACCOUNT,
  type Instance,
  NULL_ACCOUNT,
  RELAXED_COMMITTEE_ACCOUNT,
  TEMP_ACCOUNT,
  WITNESS_ACCOUNT,
} from '../../protocol/ids.js';
import { type AccountObject, accountObject } from '../objects/account.js';
import { assetObject } from '../objects/asset.js';
import { assetDynamicDataObject } from '../objects/asset-dynamic-data.js';
import { type WitnessObject, witnessObject } from '../objects/witness.js';
import type { WriteState } from '../views.js';
import { interContractParameters, parameters, voteParameters } from './parameters.js';
import { depositLazily } from './vesting.js';

/** Shares of fees for these accounts are destroyed instead of deposited; 1.2.5 is not among them. */
const BURNING_ACCOUNTS: readonly Instance[] = [
  COMMITTEE_ACCOUNT,
  WITNESS_ACCOUNT,
  RELAXED_COMMITTEE_ACCOUNT,
  NULL_ACCOUNT,
  TEMP_ACCOUNT,
];

type CashbackField = 'cashback_vb' | 'contract_call_cashback_vb' | 'staking_cashback_vb';

function depositTo(
  s: WriteState,
  account: Readonly<AccountObject>,
  field: CashbackField,
  amount: bigint,
  seconds: number,
  mustVest: boolean,
): void {
  const created = depositLazily(s, { existing: account[field], amount, seconds, owner: account.id, mustVest });
  if (created === undefined) return;
  s.modify(accountObject, account, (o) => {
    o[field] = created;
  });
}

export function depositFeeCashback(
  s: WriteState,
  account: Readonly<AccountObject>,
  amount: bigint,
  mustVest: boolean,
): void {
  if (amount === 0n) return;
  if (BURNING_ACCOUNTS.includes(account.id)) {
    burnCore(s, amount);
    return;
  }
  depositTo(s, account, 'cashback_vb', amount, parameters(s).cashback_vesting_period_seconds, mustVest);
}

/** Reduces the supply of the core asset. */
export function burnCore(s: WriteState, amount: bigint): void {
  const dynamic = s.get(assetDynamicDataObject, s.get(assetObject, s.coreAsset).dynamic_asset_data_id);
  s.modify(assetDynamicDataObject, dynamic, (o) => {
    o.current_supply = sub64(o.current_supply, amount);
  });
}

export function depositContractCashback(s: WriteState, account: Readonly<AccountObject>, amount: bigint): void {
  const field = s.active('HF_1027') ? 'contract_call_cashback_vb' : 'cashback_vb';
  const seconds = interContractParameters(s).contract_basic_fee_vesting_period_seconds;
  depositTo(s, account, field, amount, seconds, true);
}

export function depositStakingCashback(s: WriteState, account: Readonly<AccountObject>, amount: bigint): void {
  const field = s.active('HF_1027') ? 'staking_cashback_vb' : 'cashback_vb';
  depositTo(s, account, field, amount, voteParameters(s).staking_rewards_vesting_seconds, true);
}

export function depositWitnessPay(s: WriteState, witness: Readonly<WitnessObject>, amount: bigint): void {
  const created = depositLazily(s, {
    existing: witness.pay_vb,
    amount,
    seconds: WITNESS_PAY_VESTING_SEC,
    owner: witness.witness_account,
    mustVest: true,
  });
  if (created === undefined) return;
  s.modify(witnessObject, witness, (o) => {
    o.pay_vb = created;
  });
}
