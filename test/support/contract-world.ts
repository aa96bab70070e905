import { readFileSync } from 'node:fs';
import { fromHex, toHex } from '../../src/base/bytes.js';
import { ChainError, check, defineErrors } from '../../src/base/errors.js';
import { sha256 } from '../../src/crypto/hash.js';
import {
  type AttachedAmount,
  type ContractAction,
  type ContractChain,
  type ContractCode,
  type ContractHost,
  ContractRestart,
  type ContractRules,
  type ContractStore,
  type CurrentTransaction,
  type InlineCall,
  type InlineTransfer,
} from '../../src/operations/contract/engine.js';
import { nameFromText } from '../../src/protocol/name.js';
import { InterpretedContract } from '../../src/vm/interpreted/interpreted-contract.js';
import { contractKeys } from '../../src/vm/keys.js';
import { type LoadedContract, loadContract } from '../../src/vm/load-contract.js';
import type { MeteredEngine, MeteredSession } from '../../src/vm/metered.js';
import { createContractEngine } from '../../src/vm/runtime.js';
import { MemoryContractStore } from './contract-store.js';
import { NETWORK } from './network.js';
import { projectPath } from './paths.js';

/** Set by the test that runs other tests in the interpreter. */
const EXECUTION = process.env.VM_EXECUTION === 'interpreted' ? 'interpreted' : undefined;

/** Every rule as it is since the last fork. */
export const CURRENT_RULES: ContractRules = {
  ram_per_payer: true,
  inline_calls: true,
  inline_transfer: true,
  removes_emptied_tables: false,
  index_update_keeps_payer: true,
  key_as_text: true,
  asset_precision: true,
};

const WORLD_ERRORS = defineErrors({
  test_transfer_balance: { text: 'Insufficient Balance' },
  test_transfer_self: { text: 'from != to: ' },
});

export interface CallOptions {
  readonly data?: Uint8Array | string;
  readonly amount?: AttachedAmount;
  readonly sender?: number;
  readonly instructions?: bigint;
}

export interface CallOutcome {
  readonly session: MeteredSession;
  readonly ram: Readonly<Record<string, number>>;
  readonly console: string;
}

export function contractFile(name: string): Uint8Array {
  return new Uint8Array(readFileSync(projectPath('test/vectors/contracts', name)));
}

/** Names of the ABI's actions, all of them payable if `payable` says so. */
export function methods(...names: readonly string[]): ContractCode['actions'] {
  return names.map((name) => ({ name: nameFromText(name), payable: true }));
}

/** It takes as long again as the call of a small contract. */
const CHECKED_BYTES_MAX = 20_000;

/** Rewritten code that is no module would be interpreted in silence, with the same results. */
function checkCompiled(code: Uint8Array): void {
  let contract: LoadedContract;
  try {
    contract = loadContract(code);
  } catch (error) {
    // Every call fails.
    if (error instanceof ChainError) return;
    throw error;
  }
  if (contract instanceof InterpretedContract && contract.reason === 'refused by the compiler') {
    throw new Error('the compiler refuses what has become of a contract');
  }
}

/** As much of a chain as contracts see, with their operations applied the way the evaluators do it. */
export class ContractWorld<S extends ContractStore = MemoryContractStore> implements ContractHost {
  rules: ContractRules = CURRENT_RULES;
  readonly store: S;
  readonly contracts = new Map<number, ContractCode>();
  readonly accounts = new Map<number, string>();
  readonly assets = new Map<number, { symbol: string; precision: number }>();
  readonly balances = new Map<string, bigint>();
  readonly transfers: InlineTransfer[] = [];
  readonly inlineCalls: InlineCall[] = [];
  readonly engine: MeteredEngine;
  inlineCallsMax = 3;
  inlineActionBytesMax = 65_536;
  headNum = 100;
  headTimeSec = 1_600_000_000;
  currentTransaction: CurrentTransaction | undefined = {
    packed: () => fromHex('0102030405060708090a'),
    expirationSec: 1_600_000_030,
    refBlockNum: 65_535,
    refBlockPrefix: 4_294_967_295,
  };
  private session: MeteredSession | undefined;

  constructor(
    engine: MeteredEngine = createContractEngine(contractKeys(NETWORK), undefined, EXECUTION),
    // Whoever asks for another kind of store brings one.
    store: S = new MemoryContractStore() as ContractStore as S,
  ) {
    this.engine = engine;
    this.store = store;
  }

  deploy(account: number, code: Uint8Array, actions: ContractCode['actions']): void {
    this.engine.validate(code);
    if (code.length < CHECKED_BYTES_MAX) checkCompiled(code);
    this.install(account, code, actions);
  }

  /** Without the deployment check, as contracts from before it was introduced. */
  install(account: number, code: Uint8Array, actions: ContractCode['actions']): void {
    this.contracts.set(account, { code, codeVersion: toHex(sha256(code)), actions });
    this.accounts.set(account, `contract-${account}`);
  }

  call(contract: number, method: string, options: CallOptions = {}): CallOutcome {
    const { data = new Uint8Array(0), amount, sender = 17, instructions = 100_000_000n } = options;
    const limits = {
      instructions,
      inlineCalls: this.inlineCallsMax,
      inlineActionBytes: this.inlineActionBytesMax,
    };
    const bytes = typeof data === 'string' ? fromHex(data) : data;
    const action = { contract, sender, method: nameFromText(method), data: bytes, amount };
    const interpreted = new Set<string>();
    for (;;) {
      const session = this.engine.begin(sender, { ...limits, restarted: { interpreted, spent: 0n } }, this);
      this.session = session;
      try {
        this.run(session, action);
        return { session, ram: Object.fromEntries(session.ramUsage()), console: session.console() };
      } catch (error) {
        // This world takes nothing back, and lets the first run be free: what else there is to see needs a real one.
        if (!(error instanceof ContractRestart)) throw error;
        interpreted.add(error.codeVersion);
      }
    }
  }

  private run(session: MeteredSession, action: ContractAction): void {
    if (action.amount !== undefined) {
      this.move(BigInt(action.sender), BigInt(action.contract), BigInt(action.amount.asset), action.amount.amount);
    }
    session.execute(action);
  }

  private move(from: bigint, to: bigint, asset: bigint, amount: bigint): void {
    check(from !== to, WORLD_ERRORS.test_transfer_self);
    check(this.chain.balance(from, asset) >= amount, WORLD_ERRORS.test_transfer_balance);
    this.setBalance(from, asset, this.chain.balance(from, asset) - amount);
    this.setBalance(to, asset, this.chain.balance(to, asset) + amount);
  }

  setBalance(account: bigint, asset: bigint, amount: bigint): void {
    this.balances.set(`${account} ${asset}`, amount);
  }

  readonly effects = {
    transfer: (operation: InlineTransfer): void => {
      this.move(operation.from, operation.to, operation.asset, operation.amount);
      this.transfers.push(operation);
    },
    callContract: (operation: InlineCall): void => {
      this.inlineCalls.push(operation);
      if (this.session !== undefined) this.run(this.session, operation);
    },
  };

  readonly chain: ContractChain = {
    headBlockNum: () => this.headNum,
    headBlockId: () => blockId(this.headNum),
    headBlockTimeSec: () => this.headTimeSec,
    isBlockUnderWay: (num) => num === this.headNum && this.currentTransaction === undefined,
    blockId: (num) => (num === 13 ? undefined : blockId(num)),
    accountByName: (name) => keyOf(this.accounts, (value) => value === name),
    accountName: (account) => this.accounts.get(account),
    assetBySymbol: (symbol) => keyOf(this.assets, (value) => value.symbol === symbol),
    assetPrecision: (asset) => this.assets.get(asset)?.precision,
    balance: (account, asset) => this.balances.get(`${account} ${asset}`) ?? 0n,
    formatAsset: (amount, asset) => `${amount} ${this.assets.get(Number(asset))?.symbol ?? asset}`,
    contract: (account) => this.contracts.get(account),
    transaction: () => this.currentTransaction,
  };
}

export function blockId(num: number): Uint8Array {
  return Uint8Array.from({ length: 20 }, (_, i) => (num + i) & 0xff);
}

function keyOf<T>(map: ReadonlyMap<number, T>, matches: (value: T) => boolean): number | undefined {
  for (const [key, value] of map) if (matches(value)) return key;
  return undefined;
}
