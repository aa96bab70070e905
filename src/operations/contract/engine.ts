import { InvariantError } from '../../base/errors.js';

/**
 * The border between contract operations and the engine that runs contract code. The engine lives in `vm` and comes in
 * from outside; what it needs of the chain goes in as a ContractHost with every session. Accounts and assets are
 * instance numbers, names of tables and methods are the 64-bit numbers of `protocol/name.ts`, keys and payers are
 * unsigned 64-bit numbers.
 */

/** Rules that changed over time, by what is true now (`contracts.md` 9.3). */
export interface ContractRules {
  /** 1016: payers are checked, RAM is counted per payer with table objects, rows count in their table. */
  readonly ram_per_payer: boolean;
  /** 1016: contracts can call contracts. */
  readonly inline_calls: boolean;
  /** 1017: host function `inline_transfer`. */
  readonly inline_transfer: boolean;
  /** 1020, until its time: primary tables that became empty are removed. */
  readonly removes_emptied_tables: boolean;
  /** 1021: update of a secondary entry checks the payer and keeps the old one. */
  readonly index_update_keeps_payer: boolean;
  /** 1022: `assert_recover_key` takes keys as text. */
  readonly key_as_text: boolean;
  /** 1023: host function `get_asset_precision`. */
  readonly asset_precision: boolean;
}

export interface TableRecord {
  readonly id: number;
  readonly code: bigint;
  readonly scope: bigint;
  readonly table: bigint;
  readonly payer: bigint;
  readonly count: number;
}

export interface RowRecord {
  readonly id: number;
  readonly tableId: number;
  readonly primaryKey: bigint;
  readonly payer: bigint;
  readonly value: Uint8Array;
}

export interface EntryRecord {
  readonly id: number;
  readonly tableId: number;
  readonly primaryKey: bigint;
  readonly payer: bigint;
  readonly secondaryKey: bigint;
}

/**
 * Objects 2.23 (tables), 2.24 (rows) and 2.25 (entries of u64 indexes). Ids are instance numbers and never used twice.
 * `...Before` takes keys one above the largest too, for the last row. Records may be reused by the store after a
 * change: the engine reads what it needs and keeps ids only.
 */
export interface ContractStore {
  table(id: number): TableRecord | undefined;
  findTable(code: bigint, scope: bigint, table: bigint): TableRecord | undefined;
  /** With count 0. */
  createTable(code: bigint, scope: bigint, table: bigint, payer: bigint): TableRecord;
  setTableCount(id: number, count: number): void;
  removeTable(id: number): void;

  row(id: number): RowRecord | undefined;
  findRow(tableId: number, primaryKey: bigint): RowRecord | undefined;
  /** First row with a key not less than the given one. */
  rowAtOrAfter(tableId: number, primaryKey: bigint): RowRecord | undefined;
  /** Last row with a key less than the given one. */
  rowBefore(tableId: number, primaryKey: bigint): RowRecord | undefined;
  createRow(tableId: number, primaryKey: bigint, payer: bigint, value: Uint8Array): RowRecord;
  updateRow(id: number, payer: bigint, value: Uint8Array): void;
  removeRow(id: number): void;

  entry(id: number): EntryRecord | undefined;
  findEntry(tableId: number, primaryKey: bigint): EntryRecord | undefined;
  /** Order: secondary key, then primary key. */
  entryAtOrAfter(tableId: number, secondaryKey: bigint, primaryKey: bigint): EntryRecord | undefined;
  entryBefore(tableId: number, secondaryKey: bigint, primaryKey: bigint): EntryRecord | undefined;
  createEntry(tableId: number, primaryKey: bigint, payer: bigint, secondaryKey: bigint): EntryRecord;
  updateEntry(id: number, payer: bigint, secondaryKey: bigint): void;
  removeEntry(id: number): void;
}

/** Facts about the chain that host functions tell. */
export interface ContractChain {
  /** While a block is applied, the head is the previous one. */
  headBlockNum(): number;
  headBlockId(): Uint8Array;
  headBlockTimeSec(): number;
  /** Of the head while the chain itself executes a proposal: a block is stored when all that it does is done. */
  isBlockUnderWay(num: number): boolean;
  /** `undefined` when the block store does not have it. */
  blockId(num: number): Uint8Array | undefined;
  accountByName(name: string): number | undefined;
  accountName(account: number): string | undefined;
  assetBySymbol(symbol: string): number | undefined;
  assetPrecision(asset: number): number | undefined;
  /** 0 without a balance object; neither account nor asset need exist. */
  balance(account: bigint, asset: bigint): bigint;
  /** For messages such as `49.80780 GXS`. */
  formatAsset(amount: bigint, asset: bigint): string;
  contract(account: number): ContractCode | undefined;
  /** The transaction under way; `undefined` while a proposal is executed by expiry. */
  transaction(): CurrentTransaction | undefined;
}

export interface ContractCode {
  readonly code: Uint8Array;
  /** Hash of the code as the account stores it; the key of the cache of compiled modules. */
  readonly codeVersion: string;
  /** Name and payable flag of the ABI's actions. */
  readonly actions: readonly { readonly name: bigint; readonly payable: boolean }[];
}

export interface CurrentTransaction {
  /** Unsigned, as the reference packs it: reference block, expiration, operations, extensions. */
  packed(): Uint8Array;
  readonly expirationSec: number;
  readonly refBlockNum: number;
  readonly refBlockPrefix: number;
  /** Index of the operation in it that has led here. No contract sees it. */
  readonly operation?: number;
}

/** Operation 78 as a contract issues it: fee 0. */
export interface InlineTransfer {
  readonly from: bigint;
  readonly to: bigint;
  readonly asset: bigint;
  readonly amount: bigint;
  readonly memo: Uint8Array;
}

/** Operation 79 as a contract issues it: fee 0; without amount when it is 0. */
export interface InlineCall {
  readonly sender: number;
  readonly contract: number;
  readonly amount: AttachedAmount | undefined;
  readonly method: bigint;
  readonly data: Uint8Array;
}

export interface AttachedAmount {
  readonly amount: bigint;
  readonly asset: number;
}

/** What a contract causes beside its tables. Both apply the operation completely before they return. */
export interface ContractEffects {
  transfer(operation: InlineTransfer): void;
  /** Evaluates and applies operation 79; the evaluator runs the code through `ContractSession.execute`. */
  callContract(operation: InlineCall): void;
}

export interface ContractHost {
  readonly rules: ContractRules;
  readonly chain: ContractChain;
  readonly store: ContractStore;
  readonly effects: ContractEffects;
}

/** Operation 75 or 79 at the moment when its code is to run: checks done, attached amount moved. */
export interface ContractAction {
  readonly contract: number;
  /** Account of the call, or the calling contract. */
  readonly sender: number;
  readonly method: bigint;
  readonly data: Uint8Array;
  readonly amount: AttachedAmount | undefined;
}

export interface SessionLimits {
  /** CPU time of the whole operation 75 with its inline calls; undefined: unlimited, the block carries what was billed. */
  readonly timeUs: number | undefined;
  /** The time is this node's own cap and not a limit of the chain. */
  readonly isOwnCap: boolean;
  /** Chain parameters `max_inter_contract_depth` and `max_inline_action_size`. */
  readonly inlineCalls: number;
  readonly inlineActionBytes: number;
  readonly restarted?: Restarted | undefined;
}

/** What sessions before this one have said of the same operation, see `ContractRestart`. */
export interface Restarted {
  /** Versions of code that are not to be compiled. */
  readonly interpreted: ReadonlySet<string>;
  /** What they have used by the engine's meter: it was in vain, and is paid for. */
  readonly spent: bigint;
}

/** One operation 75 with everything it causes. */
export interface ContractSession {
  /** Account of the operation 75. */
  readonly origin: number;
  /** Runs the code of one action, then its queued inline calls in order. */
  execute(action: ContractAction): void;
  /** By the engine's meter, never 0 once code has run. */
  readonly cpuTimeUs: number;
  /** Bytes per account in ascending order of accounts; entries with 0 were touched and go into the receipt. */
  ramUsage(): readonly (readonly [account: number, bytes: number])[];
  /** Sum over rows and entries, whoever pays: what was billed before RAM had payers. */
  ramTotal(): number;
  /** Output of the print functions. */
  console(): string;
}

/**
 * Comes out of `execute` where compiled code cannot go on as the reference does. Whoever runs the operation takes back
 * what it did, and begins anew with a session that interprets this code. That is found out each time: what an operation
 * costs must not depend on what has run before it.
 */
export class ContractRestart extends InvariantError {
  override readonly name = 'ContractRestart';
  readonly codeVersion: string;
  readonly spent: bigint;

  constructor(codeVersion: string, spent: bigint) {
    super('whoever runs a contract begins anew when it is asked to');
    this.codeVersion = codeVersion;
    this.spent = spent;
  }
}

export interface ContractEngine {
  /** Deployment check; throws a coded error. */
  validate(code: Uint8Array): void;
  begin(origin: number, limits: SessionLimits, host: ContractHost): ContractSession;
}
