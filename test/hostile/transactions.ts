import { ChainError } from '../../src/base/errors.js';
import type { Json } from '../../src/codec/json.js';
import { nameFromText } from '../../src/protocol/name.js';
import type { Operation } from '../../src/protocol/operation-slot.js';
import { type SignedTransaction, signedTransaction } from '../../src/protocol/transaction.js';
import type { ChainState } from '../../src/state/chain-state.js';
import { accountObject } from '../../src/state/objects/account.js';
import { keyOf } from '../fuzz/chain/keys.js';
import { bend, Workload } from '../fuzz/chain/kinds.js';
import { Memory, Scene } from '../fuzz/chain/scene.js';
import { signersOf } from '../fuzz/chain/signers.js';
import type { SeededRandom } from '../sim/random.js';
import { signedTransactionOf } from '../sim/transactions.js';
import { mutate, mutateCode } from '../support/module-mutator.js';
import { NETWORK } from '../support/network.js';
import { operationByName } from '../support/operation-by-name.js';
import { vectorContract } from '../support/vector-contracts.js';
import { bentJson } from './documents.js';
import type { Mirror } from './mirror.js';

/**
 * What would let the attacked node miss slots by the rules of the chain: witnesses whose key it does not have, other
 * parameters. It comes too, but never with the signatures that it needs.
 */
const NOT_SIGNED = ['witness_create', 'committee_member_update_global_parameters'].map(
  (name) => operationByName(name)?.tag,
);
const MODULES = ['hello', 'lab', 'bank'].map((name) => ({ name, contract: vectorContract(name) }));
const KEPT = 50;
const LIFETIME_SEC = 120;

/** Also inside of proposals. */
function isFatal([tag, body]: Operation): boolean {
  if (NOT_SIGNED.includes(tag)) return true;
  const { proposed_ops } = body as unknown as { proposed_ops?: readonly { readonly op: Operation }[] };
  return proposed_ops?.some(({ op }) => isFatal(op)) === true;
}

/** Transactions of all kinds for the chain as it is, and modules that are nearly contracts. */
export class Transactions {
  readonly #mirror: Mirror;
  readonly #random: SeededRandom;
  readonly #memory = new Memory();
  readonly #workload: Workload;
  readonly #sent: SignedTransaction[] = [];
  #count = 0;

  constructor(mirror: Mirror, random: SeededRandom, parameters: ConstructorParameters<typeof Workload>[0]) {
    this.#mirror = mirror;
    this.#random = random;
    this.#workload = new Workload(parameters);
  }

  get #scene(): Scene {
    return new Scene(this.#mirror.chain.queries.state, this.#random, this.#memory);
  }

  /** As the argument of broadcast_transaction; undefined when chance has picked what is not possible now. */
  next(): { kind: string; json: Json } | undefined {
    const random = this.#random;
    if (this.#sent.length > 0 && random.chance(0.05)) {
      return { kind: 'transaction again', json: signedTransaction.toJson(random.pick(this.#sent), NETWORK) };
    }
    const isModule = random.chance(0.2);
    const operations = this.#possible(() => (isModule ? this.#module() : this.#workload.make(this.#scene)));
    if (operations === undefined || operations.length === 0) return undefined;
    if (!isModule && random.chance(0.15)) {
      const bent = this.#possible(() => operations.map((one) => bend(one, this.#scene)));
      return bent === undefined ? undefined : { kind: 'transaction bent', json: this.#json(this.#signed(bent)) };
    }
    const signed = this.#signed(operations);
    this.#sent.push(signed);
    if (this.#sent.length > KEPT) this.#sent.shift();
    const json = this.#json(signed);
    if (isModule) return { kind: 'contract module', json };
    if (random.chance(0.15)) return { kind: 'transaction damaged', json: bentJson(json, random) };
    return { kind: 'transaction', json };
  }

  #json(transaction: SignedTransaction): Json {
    return signedTransaction.toJson(transaction, NETWORK);
  }

  /** Whoever looks for what is possible may be refused an answer. */
  #possible<T>(make: () => T): T | undefined {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      return undefined;
    }
  }

  #signed(operations: readonly Operation[]): SignedTransaction {
    const { queries } = this.#mirror.chain;
    const random = this.#random;
    const wrong = [keyOf('frank')].slice(0, random.below(2));
    const keys = operations.some(isFatal)
      ? []
      : (this.#possible(() => signersOf(queries.state as ChainState, operations)) ?? wrong);
    return signedTransactionOf(queries, {
      operations,
      keys: random.chance(0.05) ? wrong : keys,
      expiration: queries.head.time + LIFETIME_SEC + (this.#count++ % 300),
      reference: queries.head.id,
    });
  }

  /** A module with faults, or a call of one that was taken all the same. */
  #module(): readonly Operation[] {
    const scene = this.#scene;
    const random = this.#random;
    const there = scene.accountWhere(({ name, code }) => name.startsWith('bent-') && code.length > 0);
    if (there !== undefined && random.chance(0.5)) {
      const [, kind = ''] = there.name.split('-');
      const { abi } = (MODULES.find(({ name }) => name === kind) ?? (MODULES[0] as (typeof MODULES)[number])).contract;
      const action = random.pick(abi.actions);
      return [
        scene.op('contract_call', {
          account: scene.user(),
          contract_id: there.id,
          method_name: action.name ?? nameFromText('hi'),
          data: Uint8Array.from({ length: random.below(40) }, () => random.below(256)),
        }),
      ];
    }
    const { name, contract } = random.pick(MODULES);
    const next = (below: number): number => random.below(below);
    const code = random.chance(0.5) ? mutate(contract.code, next) : mutateCode(contract.code, next);
    const given = { ...contract, code, vm_type: '0', vm_version: '0' };
    if (there !== undefined && random.chance(0.1)) {
      return [scene.op('contract_update', { owner: there.registrar, contract: there.id, code, abi: contract.abi })];
    }
    const taken = `bent-${name}-${scene.unique()}`;
    if (scene.state.findBy(accountObject.by.name, taken) !== undefined) return [];
    return [scene.op('contract_deploy', { ...given, name: taken, account: scene.user() })];
  }
}
