/** What the views use of the node's answers, see docs/rpc.md. Integers beyond 32 bits come as text. */

export type Int = number | string;
/** `[tag, fields]` */
export type Operation = readonly [number, Readonly<Record<string, unknown>>];

export interface Amount {
  readonly amount: Int;
  readonly asset_id: string;
}

export interface Transaction {
  readonly expiration: string;
  readonly operations: readonly Operation[];
  readonly operation_results?: readonly (readonly [number, unknown])[];
  readonly signatures: readonly string[];
}

export interface Block {
  readonly previous: string;
  readonly timestamp: string;
  readonly witness: string;
  readonly transaction_merkle_root: string;
  readonly witness_signature: string;
  readonly block_id: string;
  readonly signing_key: string;
  readonly transactions: readonly Transaction[];
  readonly transaction_ids: readonly string[];
}

export interface Head {
  readonly head_block_number: number;
  readonly head_block_id: string;
  readonly time: string;
  readonly current_witness: string;
  readonly next_maintenance_time: string;
  readonly last_irreversible_block_num: number;
  readonly recent_slots_filled: string;
  readonly current_aslot: Int;
}

export interface Authority {
  readonly weight_threshold: number;
  readonly account_auths: readonly (readonly [string, number])[];
  readonly key_auths: readonly (readonly [string, number])[];
  readonly address_auths: readonly (readonly [string, number])[];
}

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly registrar: string;
  readonly referrer: string;
  readonly lifetime_referrer: string;
  readonly membership_expiration_date: string;
  readonly merchant_expiration_date: string;
  readonly datasource_expiration_date: string;
  readonly code: string;
  readonly code_version: string;
  readonly vm_type: string;
  readonly abi: Abi;
  readonly owner: Authority;
  readonly active: Authority;
  readonly options: { readonly memo_key: string; readonly voting_account: string; readonly votes: readonly string[] };
}

export interface Abi {
  readonly structs: readonly {
    readonly name: string;
    readonly base: string;
    readonly fields: readonly { readonly name: string; readonly type: string }[];
  }[];
  readonly actions: readonly { readonly name: string; readonly type: string; readonly payable: boolean }[];
  readonly tables: readonly {
    readonly name: string;
    readonly type: string;
    readonly index_type: string;
    readonly key_names: readonly string[];
    readonly key_types: readonly string[];
  }[];
}

export interface FullAccount {
  readonly account: Account;
  readonly statistics: { readonly total_ops: Int; readonly lifetime_fees_paid: Int; readonly pending_fees: Int };
  readonly votes: readonly Candidate[];
  readonly balances: readonly { readonly asset_type: string; readonly balance: Int }[];
  readonly locked_balances: readonly {
    readonly id: string;
    readonly amount: Amount;
    readonly create_date_time: string;
    readonly lock_days: Int;
  }[];
  readonly vesting_balances: readonly { readonly id: string; readonly balance: Amount }[];
  readonly pledge_balances: readonly { readonly id: string; readonly amount: Amount }[];
  readonly proposals: readonly { readonly id: string }[];
  readonly assets: readonly string[];
}

/** A witness or a committee member. */
export interface Candidate {
  readonly id: string;
  readonly witness_account?: string;
  readonly committee_member_account?: string;
  readonly worker_account?: string;
  readonly signing_key?: string;
  readonly total_votes?: Int;
  readonly total_missed?: Int;
  readonly last_confirmed_block_num?: Int;
  readonly url: string;
  readonly is_valid?: boolean;
}

export interface HistoryEntry {
  readonly id: string;
  readonly op: Operation;
  readonly block_num: number;
  readonly trx_in_block: number;
  readonly virtual_op: number;
}

export interface Asset {
  readonly id: string;
  readonly symbol: string;
  readonly precision: number;
  readonly issuer: string;
  readonly options: {
    readonly max_supply: Int;
    readonly market_fee_percent: number;
    readonly core_exchange_rate: { readonly base: Amount; readonly quote: Amount };
    readonly description: string;
    readonly flags: number;
  };
  readonly dynamic_asset_data_id: string;
}

/** What operations cost: `[tag, parameters]`, of which the chain asks for `scale` ten thousandths. */
export interface FeeSchedule {
  readonly parameters: readonly Operation[];
  readonly scale: number;
}

export interface GlobalProperties {
  readonly parameters: {
    readonly block_interval: number;
    readonly maintenance_interval: number;
    readonly maintenance_skip_slots: number;
  };
  readonly active_committee_members: readonly string[];
  readonly active_witnesses: readonly string[];
}

/** Any object of the chain. */
export interface ChainObject {
  readonly id: string;
  readonly name?: string;
  readonly symbol?: string;
  readonly precision?: number;
  readonly witness_account?: string;
  readonly committee_member_account?: string;
}
