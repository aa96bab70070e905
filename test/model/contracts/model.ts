import type { AbiActionDef } from '../../../src/protocol/abi.js';
import type { Asset } from '../../../src/protocol/asset.js';
import type { Operation } from '../../../src/protocol/operation-slot.js';
import type { OperationResult } from '../../../src/protocol/results.js';
import type { Transaction } from '../../../src/protocol/transaction.js';
import { type AccountObject, accountObject } from '../../../src/state/objects/account.js';
import type { ReadState } from '../../../src/state/views.js';
import type { How } from '../model.js';
import { type AnyOwnRule, OwnModel } from '../own-operations/model.js';
import { must, Refused } from '../tables.js';
import { Action, type ActionGiven, type Run } from './action.js';
import type { Parties } from './arguments.js';
import { callContract } from './call.js';
import { endOf } from './codes.js';
import type { ContractFork, ContractForks } from './forks.js';
import { FUNCTIONS } from './functions.js';
import { Ram } from './ram.js';
import { updateFee } from './rules.js';

const CALL = 75;
const UPDATE = 76;

class Undone extends Error {}

/** What an operation runs in. */
export interface ContractHow extends How {
  readonly billedCpuUs: number;
  readonly transaction: Transaction | undefined;
}

/** The chain's own operations, and contracts that run. */
export class ContractModel extends OwnModel {
  readonly #forks: ContractForks;
  readonly idOfBlock: (number: number) => string;

  constructor(
    state: ReadState,
    rules: readonly AnyOwnRule[],
    forks: ContractForks,
    idOfBlock: (number: number) => string,
  ) {
    super(state, rules, forks);
    this.#forks = forks;
    this.idOfBlock = idOfBlock;
  }

  override isAfter(fork: ContractFork): boolean {
    return this.time > this.#forks[fork];
  }

  override isFrom(fork: ContractFork): boolean {
    return this.time >= this.#forks[fork];
  }

  override requiredFee(operation: Operation): bigint {
    const [tag, body] = operation;
    if (tag === UPDATE && this.isAfter('1024')) return updateFee(this, body as never);
    return super.requiredFee(operation);
  }

  override run(operation: Operation, how: ContractHow): OperationResult {
    const [tag, body] = operation;
    if (tag !== CALL) return super.run(operation, how);
    return this.attempt(() => callContract(this, body as never, how));
  }

  /** Nothing where the contract has no such action. */
  contractAction(contract: number, method: bigint): AbiActionDef | 'no contract' | undefined {
    const account: Readonly<AccountObject> | undefined = this.find(accountObject, contract);
    if (account === undefined || account.code.length === 0) return 'no contract';
    return account.abi.actions.find(({ name }) => name === method);
  }

  /** Runs an action, and then those that it has sent, each with all that it sends itself. */
  act(run: Run, given: ActionGiven, isFirst = true): void {
    const action = new Action(this, run, given);
    if (given.amount !== undefined) {
      this.take(given.sender, given.amount);
      this.give(given.contract, given.amount);
    }
    const end = endOf(this.account(given.contract).code);
    must(end === 'runs' || end === 'nothing', end);
    const follow = (command: number): void => {
      if (isFirst) run.command = command;
    };
    if (end === 'runs') action.perform(FUNCTIONS, follow);
    for (const { command, given: sent } of action.queue) {
      follow(command);
      this.#payNothing(sent.sender, this.core);
      this.act(run, sent, false);
    }
  }

  /** The command that makes an action fail, if it does; nothing is changed. */
  failing({ contract, sender, origin }: Parties, data: Uint8Array): number | undefined {
    if (this.find(accountObject, contract) === undefined) return undefined;
    const run: Run = { origin, ram: new Ram(this), transaction: undefined, sent: 0, command: 0 };
    try {
      this.attempt(() => {
        this.act(run, { contract, sender, method: 0n, data, amount: undefined });
        throw new Undone();
      });
    } catch (error) {
      if (error instanceof Undone) return undefined;
      if (error instanceof Refused) return run.command;
      throw error;
    }
    return undefined;
  }

  #payNothing(payer: number, asset_id: number): void {
    const fee = { amount: 0n, asset_id };
    this.book(payer, fee, this.worth(payer, fee));
  }

  /** The operation that a contract issues, whatever its fee would be. */
  transferFrom(from: number, to: number, amount: Asset): void {
    must(from !== to, 'from_equals_to');
    must(amount.amount > 0n, 'amount_not_positive');
    this.#payNothing(from, 1);
    this.account(to);
    this.asset(amount.asset_id);
    must(this.balance(from, amount.asset_id) >= amount.amount, 'transfer_balance');
    this.take(from, amount);
    this.give(to, amount);
  }
}
