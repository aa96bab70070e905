import { array, withDefault } from '../codec/containers.js';
import { bool, share, text, time, u8, u32, u64 } from '../codec/scalars.js';
import { struct } from '../codec/struct.js';
import type { ValueOf } from '../codec/type.js';
import { SHARE_SUPPLY_MAX } from './asset.js';
import { chainParameters, immutableParameters } from './chain-parameters.js';
import { address, publicKey, sha256Hash } from './keys.js';

/** The genesis file's JSON. Unknown keys are ignored, missing ones take the defaults; amounts may be text. */

const genesisAccount = struct('initial_account_type', {
  name: text,
  owner_key: publicKey,
  active_key: publicKey,
  is_lifetime_member: bool,
});

const genesisCollateral = struct('initial_collateral_position', {
  owner: address,
  collateral: share,
  debt: share,
});

const genesisAsset = struct('initial_asset_type', {
  symbol: text,
  issuer_name: text,
  description: text,
  precision: withDefault(u8, () => 5),
  max_supply: share,
  accumulated_fees: share,
  is_bitasset: bool,
  collateral_records: array(genesisCollateral),
});

const genesisBalance = struct('initial_balance_type', { owner: address, asset_symbol: text, amount: share });

const genesisVestingBalance = struct('initial_vesting_balance_type', {
  owner: address,
  asset_symbol: text,
  amount: share,
  begin_timestamp: time,
  vesting_duration_seconds: u32,
  begin_balance: share,
});

export const genesisFile = struct('genesis_state_type', {
  initial_timestamp: time,
  max_core_supply: withDefault(share, () => SHARE_SUPPLY_MAX),
  initial_parameters: chainParameters,
  initial_accounts: array(genesisAccount),
  initial_assets: array(genesisAsset),
  initial_balances: array(genesisBalance),
  initial_vesting_balances: array(genesisVestingBalance),
  initial_active_witnesses: withDefault(u64, () => 11n),
  initial_witness_candidates: array(struct('initial_witness_type', { owner_name: text, block_signing_key: publicKey })),
  initial_committee_candidates: array(struct('initial_committee_member_type', { owner_name: text })),
  /** Read and ignored, as the family does. */
  initial_worker_candidates: array(struct('initial_worker_type', { owner_name: text, daily_pay: share })),
  /** Overwritten when the file is loaded: the chain id is the hash of the file's bytes. */
  initial_chain_id: sha256Hash,
  immutable_parameters: immutableParameters,
});
export type GenesisFile = ValueOf<typeof genesisFile>;
export type GenesisAccount = ValueOf<typeof genesisAccount>;
export type GenesisAsset = ValueOf<typeof genesisAsset>;
