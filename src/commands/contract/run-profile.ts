import { ChainError, check, defineErrors, FAMILY } from '../../base/errors.js';
import { newContext } from '../../chain/context.js';
import type { Json } from '../../codec/json.js';
import { contractCall } from '../../operations/contract/contract-call.js';
import { codeVersion } from '../../operations/contract/contract-checks.js';
import type { ContractEngine } from '../../operations/contract/engine.js';
import { SKIP } from '../../operations/define.js';
import { runOperation } from '../../operations/pipeline.js';
import type { AbiDef } from '../../protocol/abi.js';
import { makeAsset } from '../../protocol/asset.js';
import { accountId } from '../../protocol/ids.js';
import { nameFromText, nameToText } from '../../protocol/name.js';
import type { Operation } from '../../protocol/operation-slot.js';
import { type OperationResult, operationResult } from '../../protocol/results.js';
import type { ChainState } from '../../state/chain-state.js';
import { type AccountObject, accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import type { ReadState } from '../../state/views.js';
import { AbiCodec } from '../../vm/abi/abi-codec.js';
import { chainContractEngine } from '../../vm/chain-engine.js';
import { contractKeys } from '../../vm/keys.js';
import { microsecondsFromInstructions } from '../../vm/limits.js';
import type { ActionProfile } from '../../vm/profile.js';
import { parseModule } from '../../vm/wasm/parse.js';
import { functionNames } from './names.js';

export const PROFILE_ERRORS = defineErrors({
  profile_account: { ...FAMILY.invalidArgument, text: 'the chain has no account ${account}' },
  profile_asset: { ...FAMILY.invalidArgument, text: 'the chain has no asset ${asset}' },
  profile_amount: { ...FAMILY.invalidArgument, text: 'option amount: ${amount} is no whole number of smallest units' },
  profile_contract: { ...FAMILY.invalidArgument, text: 'account ${account} is no contract' },
});

export interface ProfiledCall {
  readonly contract: string;
  readonly method: string;
  readonly args: Json;
  readonly caller: string;
  /** In the smallest unit; 0 for none. */
  readonly amount: bigint;
  /** Symbol or id. */
  readonly asset: string | undefined;
  /** Instead of what is deployed. */
  readonly code: Uint8Array | undefined;
  readonly abi: AbiDef | undefined;
}

interface Line {
  readonly name: string;
  readonly calls: number;
  readonly instructions: number;
}

export interface ProfileReport {
  readonly error: { readonly code: number; readonly message: string } | null;
  readonly instructions: number;
  readonly billed_us: number;
  /** In the order in which they ended: a call, then the inline calls that it queued. */
  readonly actions: readonly {
    readonly contract: string;
    readonly method: string;
    readonly instructions: number;
    readonly start: number;
    readonly functions: readonly Line[];
    readonly host: readonly Line[];
    /** What memory took that the contract asked for. */
    readonly memory: number;
  }[];
  readonly ram: readonly { readonly account: string; readonly bytes: number }[];
  /** As in a block, null if the call fails. */
  readonly receipt: Json;
  readonly console: string;
}

/** Ends the frame in which the call ran, so that nothing of it stays. */
class Undo extends Error {}

function findAccount(s: ReadState, text: string): Readonly<AccountObject> {
  const id = /^1\.2\.\d+$/.test(text) ? accountId.fromJson(text) : undefined;
  const found = id === undefined ? s.findBy(accountObject.by.name, text) : s.find(accountObject, id);
  check(found !== undefined, PROFILE_ERRORS.profile_account, { account: text });
  return found;
}

function findAsset(s: ReadState, text: string | undefined): number {
  if (text === undefined) return s.coreAsset;
  const id = /^1\.3\.(\d+)$/.exec(text)?.[1];
  const found = id === undefined ? s.findBy(assetObject.by.symbol, text) : s.find(assetObject, Number(id));
  check(found !== undefined, PROFILE_ERRORS.profile_asset, { asset: text });
  return found.id;
}

/** The engine, with what the sessions of the call know afterwards. Of one that began anew nothing is left. */
function watched(
  engine: ContractEngine,
  sessions: ReturnType<ContractEngine['begin']>[],
  profiles: ActionProfile[],
): ContractEngine {
  return {
    validate: (code) => engine.validate(code),
    begin(origin, limits, host) {
      const session = engine.begin(origin, limits, host);
      sessions[0] = session;
      profiles.length = 0;
      return session;
    },
  };
}

/** Runs the call on the state as the next block would, and undoes it. */
export function profileCall(
  state: ChainState,
  given: ProfiledCall,
  blockId: (number: number) => string | undefined,
): ProfileReport {
  const profiles: ActionProfile[] = [];
  const sessions: ReturnType<ContractEngine['begin']>[] = [];
  const engine = chainContractEngine(contractKeys(state.network), { onAction: (one) => profiles.push(one) });
  let report: ProfileReport | undefined;
  try {
    state.nested(() => {
      const operation = prepare(state, engine, given);
      let result: OperationResult | undefined;
      let error: ChainError | undefined;
      try {
        // The chain's own limit is what counts, not that of a node.
        const contractTimeUsMax = Number.POSITIVE_INFINITY;
        const watchedEngine = watched(engine, sessions, profiles);
        const context = newContext({ skip: SKIP.none, engine: watchedEngine, contractTimeUsMax, blockId });
        context.transaction = {
          ref_block_num: state.headNumber & 0xffff,
          ref_block_prefix: 0,
          expiration: state.headTime + 60,
          operations: [operation],
          extensions: [],
        };
        result = state.nested(() => runOperation(state, operation, context));
      } catch (failure) {
        if (!(failure instanceof ChainError)) throw failure;
        error = failure;
      }
      report = reportOf(state, profiles, sessions[0], result, error);
      throw new Undo();
    });
  } catch (end) {
    if (!(end instanceof Undo) || report === undefined) throw end;
  }
  if (report === undefined) throw new Undo('unreachable: the frame ends with a report');
  return report;
}

function prepare(state: ChainState, engine: ContractEngine, given: ProfiledCall): Operation {
  const account = findAccount(state, given.contract);
  const { code, abi } = given;
  if (code !== undefined || abi !== undefined) {
    if (code !== undefined) engine.validate(code);
    state.modify(accountObject, account, (o) => {
      if (code !== undefined) {
        o.code = code;
        o.code_version = codeVersion(code);
      }
      if (abi !== undefined) o.abi = abi;
    });
  }
  check(account.code.length > 0, PROFILE_ERRORS.profile_contract, { account: given.contract });
  const codec = new AbiCodec(account.abi, state.network);
  return [
    contractCall.tag,
    {
      fee: makeAsset(0n, state.coreAsset),
      account: findAccount(state, given.caller).id,
      contract_id: account.id,
      amount: given.amount === 0n ? undefined : makeAsset(given.amount, findAsset(state, given.asset)),
      method_name: nameFromText(given.method),
      data: codec.packAction(given.method, given.args, given.contract),
      extensions: [],
    } as Operation[1],
  ];
}

const byInstructions = (a: Line, b: Line): number => b.instructions - a.instructions;

function reportOf(
  state: ReadState,
  profiles: readonly ActionProfile[],
  session: ReturnType<ContractEngine['begin']> | undefined,
  result: OperationResult | undefined,
  error: ChainError | undefined,
): ProfileReport {
  const accountName = (id: number): string => state.find(accountObject, id)?.name ?? `1.2.${id}`;
  const total = profiles.reduce((sum, { instructions }) => sum + instructions, 0n);
  return {
    error: error === undefined ? null : { code: Number(error.code), message: error.message },
    instructions: Number(total),
    billed_us: microsecondsFromInstructions(total),
    actions: profiles.map((profile) => {
      const { code } = state.get(accountObject, profile.contract);
      const module = parseModule(code);
      const nameOf = functionNames(module);
      const functions = profile.functions
        .map(({ calls, instructions }, body) => ({
          name: nameOf(module.functionImports.length + body),
          calls: Number(calls),
          instructions: Number(instructions),
        }))
        .filter(({ calls }) => calls > 0)
        .sort(byInstructions);
      const host = [...profile.host]
        .map(([name, { calls, instructions }]) => ({
          name,
          calls: Number(calls),
          instructions: Number(instructions),
        }))
        .sort(byInstructions);
      const counted = [...functions, ...host].reduce((sum, { instructions }) => sum + instructions, 0);
      return {
        contract: accountName(profile.contract),
        method: nameToText(profile.method),
        instructions: Number(profile.instructions),
        start: Number(profile.start),
        functions,
        host,
        memory: Number(profile.instructions - profile.start) - counted,
      };
    }),
    ram: (session?.ramUsage() ?? []).map(([account, bytes]) => ({ account: accountName(account), bytes })),
    receipt: result === undefined ? null : operationResult.toJson(result),
    console: session?.console() ?? '',
  };
}
