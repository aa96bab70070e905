import { VoteSums } from '../../src/chain/maintenance/vote-sums.js';
import type { Json } from '../../src/codec/json.js';
import type { Fields, StructValue } from '../../src/codec/struct.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { newJournal, type OperationContext } from '../../src/operations/define.js';
import { runOperation } from '../../src/operations/pipeline.js';
import { definitionOf } from '../../src/operations/registered.js';
import type { ChainParameters } from '../../src/protocol/chain-parameters.js';
import type { ExtensionItem } from '../../src/protocol/extensions.js';
import { type ForkTimes, MAINNET_FORKS } from '../../src/protocol/forks.js';
import type { OperationBody } from '../../src/protocol/operation-slot.js';
import type { OperationResult } from '../../src/protocol/results.js';
import { ChainState } from '../../src/state/chain-state.js';
import type { ObjectDef, StateObject } from '../../src/state/define.js';
import type { AccountObject } from '../../src/state/objects/account.js';
import { assetObject } from '../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../src/state/objects/asset-dynamic-data.js';
import { chainPropertyObject } from '../../src/state/objects/chain-property.js';
import { dynamicGlobalPropertyObject } from '../../src/state/objects/dynamic-global-property.js';
import { globalPropertyObject } from '../../src/state/objects/global-property.js';
import { adjustBalance, balanceOf } from '../../src/state/rules/balances.js';
import { createAccount } from '../../src/state/rules/new-account.js';
import { chainContractEngine } from '../../src/vm/chain-engine.js';
import { contractKeys } from '../../src/vm/keys.js';
import { NETWORK } from './network.js';

/** First account that tests create; the ones below are those of every chain. */
const SPECIAL_ACCOUNTS = 6;
const ASSETS = ['GXC', 'GXS', 'OTHER'];
/** All forks of the main network are past. */
const AFTER_ALL_FORKS = 1_700_000_000;

/** Just enough state for the evaluators of operations, without blocks, transactions or signatures. */
export class BareWorld {
  readonly state: ChainState;
  readonly context: OperationContext;
  #votes: VoteSums | undefined;

  constructor(headTime: number = AFTER_ALL_FORKS, forks: ForkTimes = MAINNET_FORKS) {
    const state = new ChainState({ ...NETWORK, forks });
    this.state = state;
    this.create(dynamicGlobalPropertyObject, { time: headTime, head_block_number: 1 });
    this.create(globalPropertyObject, {});
    this.create(chainPropertyObject, {});
    for (let i = 0; i < SPECIAL_ACCOUNTS; i++) createAccount(state, { name: `special-${i}` });
    for (const symbol of ASSETS) {
      const data = this.create(assetDynamicDataObject, {});
      this.create(assetObject, { symbol, precision: 5, dynamic_asset_data_id: data.id });
    }
    this.context = this.contextOf({});
  }

  private contextOf(how: Partial<OperationContext>): OperationContext {
    const context = {
      skip: 0,
      proposed: false,
      issuedByContract: false,
      billedCpuUs: 0,
      engine: chainContractEngine(contractKeys(NETWORK)),
      contractTimeUsMax: 10_000,
      contractTime: { usedUs: 0 },
      contractMemos: { bytes: 0, bytesMax: 65_536 },
      contractArguments: { bytes: 0, bytesMax: 262_144 },
      recoverKey: (digest, signature) => signatureBackend().recover(digest, signature),
      run: (state, operation, more) => runOperation(state, operation, { ...context, ...more }),
      journal: newJournal(),
      ...how,
    } as OperationContext;
    return context;
  }

  get votes(): VoteSums {
    this.#votes ??= new VoteSums(this.state);
    return this.#votes;
  }

  /** Fields that are not given have their defaults. */
  create<T extends StateObject>(definition: ObjectDef<T>, value: Partial<Omit<T, 'id'>>): Readonly<T> {
    const defaults = definition.schema.default() as unknown as Omit<T, 'id'>;
    return this.state.create(definition, { ...defaults, ...value });
  }

  account(name: string, given: Partial<Omit<AccountObject, 'id' | 'statistics'>> = {}, core = 0n): number {
    const { id } = createAccount(this.state, { name, ...given });
    adjustBalance(this.state, id, this.state.coreAsset, core);
    return id;
  }

  balance(account: number, asset: number = this.state.coreAsset): bigint {
    return balanceOf(this.state, account, asset);
  }

  /** Moves head time on. */
  pass(seconds: number): void {
    const { state } = this;
    state.modify(dynamicGlobalPropertyObject, state.single(dynamicGlobalPropertyObject), (o) => {
      o.time += seconds;
    });
  }

  setParameters(changes: Partial<ChainParameters>): void {
    const { state } = this;
    state.modify(globalPropertyObject, state.single(globalPropertyObject), (o) => {
      o.parameters = { ...o.parameters, ...changes };
    });
  }

  setParameterExtension(item: ExtensionItem): void {
    const { state } = this;
    state.modify(globalPropertyObject, state.single(globalPropertyObject), (o) => {
      const others = o.parameters.extensions.filter(([tag]) => tag !== item[0]);
      o.parameters = { ...o.parameters, extensions: [...others, item].sort((a, b) => a[0] - b[0]) };
    });
  }

  /** Runs an operation given as JSON; members that are not given have their defaults, the fee is in the core asset. */
  run(tag: number, json: Record<string, Json>, how: Partial<OperationContext> = {}): OperationResult {
    const { schema, validate } = definitionOf(tag);
    const fee = { amount: 0, asset_id: `1.3.${this.state.coreAsset}` };
    const body = schema.fromJson({ fee, ...json }, NETWORK) as StructValue<Fields> as OperationBody &
      StructValue<Fields>;
    validate(body);
    return this.state.nested(() => runOperation(this.state, [tag, body], this.contextOf(how)));
  }
}
