import { toHex } from '../../base/bytes.js';
import { ChainError } from '../../base/errors.js';
import type { Json, JsonObject } from '../../codec/json.js';
import { type TransactionId, transactionId } from '../../crypto/digests.js';
import {
  type AttachedAmount,
  type ContractAction,
  type ContractEngine,
  type ContractHost,
  ContractRestart,
  type ContractSession,
} from '../../operations/contract/engine.js';
import { formatObjectId, type Instance } from '../../protocol/ids.js';
import { nameToText } from '../../protocol/name.js';
import { accountObject } from '../../state/objects/account.js';
import type { ReadState } from '../../state/views.js';
import { AbiCodec } from '../../vm/abi/abi-codec.js';

/** Transactions whose last run is remembered. */
const TRANSACTIONS_MAX = 1000;
/** Characters that one action may have printed, and actions that one call may have, for the trace. */
const PRINTS_MAX = 8192;
const ACTIONS_MAX = 200;

/** An action that ran, with what it caused in its order. */
interface TracedAction {
  readonly action: ContractAction;
  prints: string;
  failed: unknown;
  readonly inline: (TracedAction | TracedTransfer)[];
}

interface TracedTransfer {
  readonly from: Instance;
  readonly to: Instance;
  readonly amount: AttachedAmount;
}

/** By operation of the transaction. */
interface Run {
  readonly calls: Map<number, TracedAction>;
  readonly isFeeQuestion: boolean;
}

/** What one action printed. */
export interface Printed {
  readonly contract: string;
  readonly action: string;
  readonly prints: string;
}

export interface FailedCall {
  readonly contract: string;
  readonly action: string;
  readonly reason: string;
  readonly printed: readonly Printed[];
}

/**
 * What contract calls did when they ran last on this node: as a trial, or in a block. An error with which a call ended
 * gets its trace along.
 */
export class ContractTraces {
  /** Set once there is a chain. */
  state: ReadState | undefined;
  /** Told of each call that failed, as a trial or when somebody asked for its fee. */
  onFailed: (failed: FailedCall) => void = () => undefined;
  /** By transaction, then by operation in it. The oldest one first. */
  readonly #runs = new Map<TransactionId, Run>();

  /** The engine as it is, looked at. */
  around(engine: ContractEngine): ContractEngine {
    return {
      validate: (code) => engine.validate(code),
      begin: (origin, limits, host) => {
        const actions: TracedAction[] = [];
        const session = engine.begin(origin, limits, withTransfers(host, actions));
        return new TracedSession(session, actions, (root) => {
          if (root.failed instanceof ContractRestart) return;
          if (root.failed instanceof ChainError) root.failed.trace = () => this.#actionJson(root);
          this.#keep(host, root);
          if (root.failed !== undefined) this.onFailed(this.#failedCall(root));
        });
      },
    };
  }

  /** One entry for each contract call of the transaction; undefined if nothing is remembered of it. */
  of(id: TransactionId): Json[] | undefined {
    const run = this.#runs.get(id);
    if (run === undefined) return undefined;
    return inOrder(run).map(([operation, root]) => ({ operation, ...this.#actionJson(root) }));
  }

  /**
   * The newest calls of a contract, the newest first, at most so many. Refused ones too: without a transaction where that
   * came out when somebody asked for the fee.
   */
  ofContract(contract: Instance, limit: number): Json[] {
    const found: Json[] = [];
    for (const [id, run] of [...this.#runs].reverse()) {
      const place = run.isFeeQuestion ? {} : { transaction: id };
      for (const [operation, root] of inOrder(run).reverse()) {
        if (found.length >= limit) return found;
        if (hasAction(root, contract)) found.push({ ...place, operation, ...this.#actionJson(root) });
      }
    }
    return found;
  }

  /** What the calls of a transaction printed, action by action. */
  printsOf(id: TransactionId): Printed[] {
    const run = this.#runs.get(id);
    return run === undefined ? [] : inOrder(run).flatMap(([, root]) => this.#printsIn(root));
  }

  #printsIn({ action, prints, inline }: TracedAction): Printed[] {
    const inner = inline.flatMap((one) => ('action' in one ? this.#printsIn(one) : []));
    return prints === '' ? inner : [{ ...this.#nameOf(action), prints }, ...inner];
  }

  #failedCall(root: TracedAction): FailedCall {
    return { ...this.#nameOf(root.action), reason: textOf(root.failed), printed: this.#printsIn(root) };
  }

  #nameOf({ contract, method }: ContractAction): { readonly contract: string; readonly action: string } {
    return { contract: this.#accountText(contract), action: nameToText(method) };
  }

  #keep(host: ContractHost, root: TracedAction): void {
    const transaction = host.chain.transaction();
    if (transaction === undefined) return;
    // No transaction that is sent names no block. What a call costs is asked before it is sent, and then it runs again.
    const isFeeQuestion = transaction.refBlockNum === 0 && transaction.refBlockPrefix === 0;
    if (isFeeQuestion && root.failed === undefined) return;
    const id = transactionId(transaction.packed());
    const run = this.#runs.get(id) ?? { calls: new Map(), isFeeQuestion };
    run.calls.set(transaction.operation ?? 0, root);
    this.#runs.delete(id);
    this.#runs.set(id, run);
    for (const oldest of this.#runs.keys()) {
      if (this.#runs.size <= TRANSACTIONS_MAX) break;
      this.#runs.delete(oldest);
    }
  }

  #actionJson(node: TracedAction): JsonObject {
    const { action, prints, failed, inline } = node;
    return {
      ...this.#nameOf(action),
      arguments: this.#argumentsOf(action),
      sender: this.#accountText(action.sender),
      ...(action.amount === undefined ? {} : { amount: amountJson(action.amount) }),
      prints,
      ...(failed === undefined ? {} : { failed: textOf(failed) }),
      inline: inline.map((one) => ('action' in one ? this.#actionJson(one) : this.#transferJson(one))),
    };
  }

  #transferJson({ from, to, amount }: TracedTransfer): JsonObject {
    const transfer = { from: this.#accountText(from), to: this.#accountText(to), amount: amountJson(amount) };
    return { transfer };
  }

  /** By the contract's ABI; as hex where that does not fit. */
  #argumentsOf({ contract, method, data }: ContractAction): Json {
    const { state } = this;
    const found = state?.find(accountObject, contract);
    if (state === undefined || found === undefined) return toHex(data);
    try {
      return new AbiCodec(found.abi, state.network).unpackAction(nameToText(method), data);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      return toHex(data);
    }
  }

  #accountText(account: Instance): string {
    return this.state?.find(accountObject, account)?.name ?? formatObjectId(1, 2, account);
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const inOrder = ({ calls }: Run): [operation: number, root: TracedAction][] => [...calls].sort(([a], [b]) => a - b);

/** Itself, or called by others. */
const hasAction = ({ action, inline }: TracedAction, contract: Instance): boolean =>
  action.contract === contract || inline.some((one) => 'action' in one && hasAction(one, contract));

const amountJson = ({ amount, asset }: AttachedAmount): JsonObject => ({
  amount: String(amount),
  asset_id: formatObjectId(1, 3, asset),
});

/** `actions`: those under way, the innermost one last. */
function withTransfers(host: ContractHost, actions: readonly TracedAction[]): ContractHost {
  const { effects } = host;
  return {
    ...host,
    effects: {
      callContract: (operation) => effects.callContract(operation),
      transfer: (operation) => {
        const { from, to, amount, asset } = operation;
        actions.at(-1)?.inline.push({ from: Number(from), to: Number(to), amount: { amount, asset: Number(asset) } });
        effects.transfer(operation);
      },
    },
  };
}

class TracedSession implements ContractSession {
  readonly #session: ContractSession;
  readonly #actions: TracedAction[];
  readonly #done: (root: TracedAction) => void;
  /** Characters of the console that actions have. */
  #taken = 0;
  #count = 0;

  constructor(session: ContractSession, actions: TracedAction[], done: (root: TracedAction) => void) {
    this.#session = session;
    this.#actions = actions;
    this.#done = done;
  }

  get origin(): Instance {
    return this.#session.origin;
  }

  /** What was printed before an inner action begins is the outer one's. */
  execute(action: ContractAction): void {
    const traced: TracedAction = { action, prints: '', failed: undefined, inline: [] };
    this.#takePrints();
    if (++this.#count <= ACTIONS_MAX) this.#actions.at(-1)?.inline.push(traced);
    this.#actions.push(traced);
    try {
      this.#session.execute(action);
    } catch (error) {
      traced.failed = error;
      throw error;
    } finally {
      this.#takePrints();
      this.#actions.pop();
      if (this.#actions.length === 0) this.#done(traced);
    }
  }

  #takePrints(): void {
    const console = this.#session.console();
    const current = this.#actions.at(-1);
    if (current === undefined) return;
    current.prints = (current.prints + console.slice(this.#taken)).slice(0, PRINTS_MAX);
    this.#taken = console.length;
  }

  get cpuTimeUs(): number {
    return this.#session.cpuTimeUs;
  }

  ramUsage(): ReturnType<ContractSession['ramUsage']> {
    return this.#session.ramUsage();
  }

  ramTotal(): number {
    return this.#session.ramTotal();
  }

  console(): string {
    return this.#session.console();
  }
}
