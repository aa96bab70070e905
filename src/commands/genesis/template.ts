import type { Json, JsonObject } from '../../codec/json.js';
import { timeToText } from '../../codec/time.js';
import { addressOfKey, addressToText } from '../../crypto/address.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import { publicKeyToText } from '../../crypto/public-key.js';

/** What an operator chooses of a new chain. */
export interface GenesisChoice {
  readonly timestamp: number;
  readonly blockInterval: number;
  readonly maintenanceInterval: number;
  readonly witnesses: number;
  /** Accounts besides those that the rules need; they share the supply equally. */
  readonly accounts: readonly string[];
  readonly symbol: string;
  /** In the smallest unit. */
  readonly supply: bigint;
  readonly prefix: string;
  /** Written into the file where it says something; a chain with the rules of the main network needs none. */
  readonly network: JsonObject | undefined;
}

export interface NamedKey {
  readonly name: string;
  readonly purpose: 'account' | 'signing';
  readonly key: PrivateKey;
}

export interface NewGenesis {
  readonly file: JsonObject;
  readonly keys: readonly NamedKey[];
}

/** Contract calls charge to the first one, data trade pays to the second one; both must exist. */
const NEEDED_ACCOUNTS = ['ram-account', 'commission-account'];
const MAX_SHARE_SUPPLY = '100000000000000000';
const MIN_WITNESSES = 11;

/**
 * A genesis that nodes of the reference can share, if its time does not lie after fork 1008: the first asset becomes
 * the core asset 1.3.1, and the accounts that rules look up by name are there.
 */
export function newGenesis(choice: GenesisChoice, keyOf: (seed: string) => PrivateKey): NewGenesis {
  const witnesses = Array.from({ length: choice.witnesses }, (_, i) => `init${i}`);
  const accounts = [...witnesses, ...choice.accounts, ...NEEDED_ACCOUNTS];
  const keys: NamedKey[] = [
    ...accounts.map((name) => ({ name, purpose: 'account' as const, key: keyOf(name) })),
    ...witnesses.map((name) => ({ name, purpose: 'signing' as const, key: keyOf(`${name} signing`) })),
  ];
  const keyText = (name: string, purpose: NamedKey['purpose']): string =>
    publicKeyToText(find(keys, name, purpose).publicKey, choice.prefix);
  const owners = choice.accounts.length > 0 ? choice.accounts : witnesses;
  const share = choice.supply / BigInt(owners.length);
  const file: JsonObject = {
    initial_timestamp: timeToText(choice.timestamp),
    max_core_supply: MAX_SHARE_SUPPLY,
    initial_parameters: parameters(choice),
    initial_accounts: accounts.map((name) => ({
      name,
      owner_key: keyText(name, 'account'),
      active_key: keyText(name, 'account'),
      is_lifetime_member: true,
    })),
    initial_assets: [
      {
        symbol: choice.symbol,
        issuer_name: owners[0] as string,
        description: 'core asset',
        precision: 5,
        max_supply: MAX_SHARE_SUPPLY,
        accumulated_fees: 0,
        is_bitasset: false,
        collateral_records: [],
      },
    ],
    initial_balances: owners.map((name) => ({
      owner: addressToText(addressOfKey(find(keys, name, 'account').publicKey), choice.prefix),
      asset_symbol: choice.symbol,
      amount: share.toString(),
    })),
    initial_vesting_balances: [],
    // One, because all who are active and do not make block 1 have missed the years before it; the maintenance at the
    // end of block 1 makes the others active.
    initial_active_witnesses: 1,
    initial_witness_candidates: witnesses.map((name) => ({
      owner_name: name,
      block_signing_key: keyText(name, 'signing'),
    })),
    initial_committee_candidates: witnesses.map((name) => ({ owner_name: name })),
    initial_worker_candidates: [],
    immutable_parameters: {
      min_committee_member_count: Math.min(MIN_WITNESSES, odd(choice.witnesses)),
      min_witness_count: Math.min(MIN_WITNESSES, odd(choice.witnesses)),
      num_special_accounts: 0,
      num_special_assets: 0,
    },
  };
  if (choice.network !== undefined) file.network = choice.network;
  return { file, keys };
}

const odd = (count: number): number => (count % 2 === 0 ? count - 1 : count);

function find(keys: readonly NamedKey[], name: string, purpose: NamedKey['purpose']): PrivateKey {
  const found = keys.find((one) => one.name === name && one.purpose === purpose);
  if (found === undefined) throw new Error(`no ${purpose} key of ${name}`);
  return found.key;
}

function parameters({ blockInterval, maintenanceInterval }: GenesisChoice): Json {
  const programs = (list: readonly JsonObject[]): Json => list.map((one, i) => [String(i + 1), one]);
  return {
    current_fees: {
      parameters: [
        [0, { fee: 1000, price_per_kbyte: 100_000 }],
        [5, { basic_fee: 10_000, premium_fee: 200_000_000, price_per_kbyte: 100_000 }],
        [6, { fee: 1000, price_per_kbyte: 100_000 }],
        [8, { membership_annual_fee: 0, membership_lifetime_fee: 5_000_000 }],
      ],
      scale: 10_000,
    },
    block_interval: blockInterval,
    maintenance_interval: maintenanceInterval,
    maintenance_skip_slots: 0,
    committee_proposal_review_period: 3600,
    maximum_transaction_size: 98_304,
    maximum_block_size: 2_097_152,
    maximum_time_until_expiration: 86_400,
    maximum_proposal_lifetime: 2_419_200,
    max_predicate_opcode: 3,
    account_fee_scale_bitshifts: 0,
    extensions: [
      [6, { params: programs([{ lock_days: 30, interest_rate: 0, is_valid: true }]) }],
      [7, { trx_cpu_limit: 100_000, block_cpu_limit: 800_000 }],
      [11, { params: programs([{ staking_days: 30, weight: 1, is_valid: true }]) }],
    ],
  };
}
