import { check, defineErrors, FAMILY } from '../base/errors.js';
import { parseJson } from '../codec/json.js';
import { decodeText } from '../codec/text.js';
import { type ChainId, chainIdOfChangedGenesis, chainIdOfGenesis } from '../crypto/digests.js';
import type { PublicKey } from '../crypto/public-key.js';
import { type GenesisFile, genesisFile } from '../protocol/genesis-file.js';
import { type NetworkDefinition, networkOf } from '../protocol/network-definition.js';
import { ORIGINAL_CORE_SYMBOL } from '../protocol/networks.js';

export const GENESIS_ERRORS = defineErrors({
  genesis_field: { ...FAMILY.invalidArgument, text: 'genesis file, ${field}: ${what}' },
});

/** A genesis file as it is used: what it says, the rules of its network, and the id of the chain that it begins. */
export interface GenesisSource {
  readonly file: GenesisFile;
  readonly network: NetworkDefinition;
  readonly chainId: ChainId;
}

/** What an operator may change for a private start; the chain id then differs from that of the file. */
export interface GenesisOverrides {
  readonly timestamp?: number;
  /** Signing key of all witnesses that are active from the start. */
  readonly initKey?: PublicKey;
}

function refuse(field: string, what: string): never {
  check(false, GENESIS_ERRORS.genesis_field, { field, what });
}

/** The chain id is the hash of exactly these bytes: white space counts, and what the file says of its id does not. */
export function readGenesis(bytes: Uint8Array, overrides: GenesisOverrides = {}): GenesisSource {
  const text = decodeText(bytes, 0, bytes.length);
  const { timestamp, initKey } = overrides;
  const isChanged = timestamp !== undefined || initKey !== undefined;
  const chainId = isChanged ? chainIdOfChangedGenesis(bytes) : chainIdOfGenesis(bytes);
  const network = networkOf(text, chainId);
  const file = genesisFile.fromJson(parseJson(text, 'reference'), network);
  if (timestamp !== undefined) file.initial_timestamp = timestamp;
  if (initKey !== undefined) {
    file.initial_witness_candidates.slice(0, Number(file.initial_active_witnesses)).forEach((candidate) => {
      candidate.block_signing_key = initKey;
    });
  }
  return { file, network, chainId };
}

/** Granularity of the genesis time; not the configured interval. */
const TIME_STEP_SEC = 5;
const BLOCK_INTERVAL_MAX_SEC = 255;

/**
 * Refuses what cannot become a chain, by the field's name. The reference checks less and then fails somewhere, or
 * starts a chain that stops at its first maintenance.
 */
export function checkGenesis({ file }: GenesisSource): void {
  const p = file.initial_parameters;
  if (file.initial_timestamp === 0) refuse('initial_timestamp', 'must be given');
  if (file.initial_timestamp % TIME_STEP_SEC !== 0) refuse('initial_timestamp', 'must be divisible by 5 seconds');
  if (file.max_core_supply <= 0n) refuse('max_core_supply', 'must be positive');
  if (p.block_interval < 1 || p.block_interval > BLOCK_INTERVAL_MAX_SEC) {
    refuse('initial_parameters.block_interval', 'must be 1 second or more');
  }
  if (p.maintenance_interval === 0) refuse('initial_parameters.maintenance_interval', 'must not be 0');
  if (p.accounts_per_fee_scale === 0) refuse('initial_parameters.accounts_per_fee_scale', 'must not be 0');
  if (!p.current_fees.parameters.some(([tag]) => tag === 5)) {
    refuse('initial_parameters.current_fees', 'needs an entry for operation 5, account creation');
  }
  const { min_witness_count, min_committee_member_count } = file.immutable_parameters;
  if (min_witness_count % 2 === 0) refuse('immutable_parameters.min_witness_count', 'must be odd');
  if (min_committee_member_count % 2 === 0) refuse('immutable_parameters.min_committee_member_count', 'must be odd');
  const candidates = file.initial_witness_candidates.length;
  if (candidates === 0) refuse('initial_witness_candidates', 'must not be empty');
  if (file.initial_active_witnesses === 0n) refuse('initial_active_witnesses', 'must not be 0');
  if (file.initial_active_witnesses > BigInt(candidates)) {
    refuse('initial_active_witnesses', `is ${file.initial_active_witnesses}, but there are ${candidates} candidates`);
  }
  checkNames(file);
  checkAmounts(file);
}

function checkNames(file: GenesisFile): void {
  const accounts = new Set(BUILT_IN_ACCOUNTS);
  file.initial_accounts.forEach(({ name }, i) => {
    if (accounts.has(name)) refuse(`initial_accounts[${i}].name`, `${name} is there already`);
    accounts.add(name);
  });
  const symbols = new Set([ORIGINAL_CORE_SYMBOL]);
  file.initial_assets.forEach(({ symbol, issuer_name }, i) => {
    if (symbols.has(symbol)) refuse(`initial_assets[${i}].symbol`, `${symbol} is there already`);
    symbols.add(symbol);
    if (!accounts.has(issuer_name)) refuse(`initial_assets[${i}].issuer_name`, `there is no account ${issuer_name}`);
  });
  for (const list of ['initial_balances', 'initial_vesting_balances'] as const) {
    file[list].forEach(({ asset_symbol }, i) => {
      if (!symbols.has(asset_symbol)) refuse(`${list}[${i}].asset_symbol`, `there is no asset ${asset_symbol}`);
    });
  }
  for (const list of ['initial_witness_candidates', 'initial_committee_candidates'] as const) {
    const seen = new Set<string>();
    file[list].forEach(({ owner_name }, i) => {
      if (!accounts.has(owner_name)) refuse(`${list}[${i}].owner_name`, `there is no account ${owner_name}`);
      if (seen.has(owner_name)) refuse(`${list}[${i}].owner_name`, `${owner_name} is a candidate already`);
      seen.add(owner_name);
    });
  }
}

function checkAmounts(file: GenesisFile): void {
  for (const list of ['initial_balances', 'initial_vesting_balances'] as const) {
    file[list].forEach(({ amount }, i) => {
      if (amount < 0n) refuse(`${list}[${i}].amount`, 'must not be negative');
    });
  }
  file.initial_assets.forEach((asset, i) => {
    if (asset.max_supply < 0n) refuse(`initial_assets[${i}].max_supply`, 'must not be negative');
    if (asset.accumulated_fees < 0n) refuse(`initial_assets[${i}].accumulated_fees`, 'must not be negative');
  });
}

const BUILT_IN_ACCOUNTS: readonly string[] = [
  'committee-account',
  'witness-account',
  'relaxed-committee-account',
  'null-account',
  'temp-account',
  'proxy-to-self',
];
