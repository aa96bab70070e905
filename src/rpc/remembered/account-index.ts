import type { ChainEvent } from '../../chain/events.js';
import type { Address } from '../../crypto/address.js';
import { historyAccounts } from '../../operations/impact.js';
import type { Instance } from '../../protocol/ids.js';
import { accountCreateOperation, accountUpdateOperation } from '../../protocol/operations/accounts.js';
import { type AccountObject, accountObject } from '../../state/objects/account.js';
import { type Pieces, sortInPieces } from '../pieces/pieces.js';
import type { ChainPort } from '../ports.js';

type Account = Readonly<AccountObject>;

/** Only these say which members an account has. */
const NAMES_MEMBERS: ReadonlySet<number> = new Set([accountCreateOperation.tag, accountUpdateOperation.tag]);

/** Accounts between two places where the work can be left. */
const ACCOUNTS_PER_PIECE = 64;

/**
 * Which accounts mention a key, an address or an account in their authorities. The state has no index for this: no rule
 * of the chain asks. Built by the first questions, in pieces, kept up from then on; an entry may be outdated (undone
 * blocks, changed authorities), so every answer is checked against the account itself.
 */
export class AccountIndex {
  readonly #chain: ChainPort;
  readonly #byMember = new Map<string, Set<Instance>>();
  /** Accounts below this are in. */
  #built = 0;

  constructor(chain: ChainPort) {
    this.#chain = chain;
  }

  /** Accounts with the key in owner, active or memo key, in id order. */
  ofKey(key: string): Pieces<Instance[]> {
    return this.#find(`k${key}`, (account) => keysOf(account).has(key));
  }

  ofMemoKey(key: string): Pieces<Instance[]> {
    return this.#find(`k${key}`, (account) => account.options.memo_key === key);
  }

  ofAddress(address: Address): Pieces<Instance[]> {
    return this.#find(`a${address}`, (account) => addressesOf(account).has(address));
  }

  ofAccount(member: Instance): Pieces<Instance[]> {
    return this.#find(`i${member}`, (account) => accountsOf(account).has(member));
  }

  *#find(member: string, holds: (account: Account) => boolean): Pieces<Instance[]> {
    yield* this.#build();
    const candidates = this.#byMember.get(member);
    if (candidates === undefined) return [];
    const found: Instance[] = [];
    let looked = 0;
    for (const id of candidates) {
      if (++looked % ACCOUNTS_PER_PIECE === 0) yield;
      const account = this.#chain.state.find(accountObject, id);
      if (account !== undefined && holds(account)) found.push(id);
    }
    return yield* sortInPieces(found, (a, b) => a - b);
  }

  /** Several questions build together: each goes on where another one was interrupted. */
  *#build(): Pieces<void> {
    while (this.#built < this.#chain.state.nextInstance(accountObject)) {
      const id = this.#built++;
      const { state } = this.#chain;
      const account = state.find(accountObject, id);
      if (account !== undefined) this.#add(account);
      // What waits for a block may come to nothing: then the account has the members again that it has in the chain.
      const inChain = state.committed(accountObject, id);
      if (inChain !== undefined && inChain !== account) this.#add(inChain);
      if (this.#built % ACCOUNTS_PER_PIECE === 0) yield;
    }
  }

  #add(account: Account): void {
    const index = this.#byMember;
    const put = (member: string): void => {
      const list = index.get(member);
      if (list === undefined) index.set(member, new Set([account.id]));
      else list.add(account.id);
    };
    for (const key of keysOf(account)) put(`k${key}`);
    for (const address of addressesOf(account)) put(`a${address}`);
    for (const member of accountsOf(account)) put(`i${member}`);
  }

  follow(event: ChainEvent): void {
    if (this.#built === 0) return;
    if (event.kind === 'applied' || event.kind === 'amended') {
      for (const { definition, value } of event.changes()) {
        if (definition === accountObject && value !== undefined) this.#add(value as Account);
      }
    } else if (event.kind === 'undone') {
      // They have members again that they may have had before anybody asked.
      for (const { definition, instance } of event.changed) if (definition === accountObject) this.#addAsItIs(instance);
    } else if (event.kind === 'pending') {
      for (const { operation, result } of event.operations) {
        if (NAMES_MEMBERS.has(operation[0])) for (const id of historyAccounts(operation, result)) this.#addAsItIs(id);
      }
    }
  }

  #addAsItIs(id: Instance): void {
    const account = this.#chain.state.find(accountObject, id);
    if (account !== undefined) this.#add(account);
  }
}

function keysOf({ owner, active, options }: Account): Set<string> {
  const keys = new Set([options.memo_key]);
  for (const { key_auths } of [owner, active]) for (const [key] of key_auths) keys.add(key);
  return keys;
}

function addressesOf({ owner, active }: Account): Set<Address> {
  const addresses = new Set<Address>();
  for (const { address_auths } of [owner, active]) for (const [address] of address_auths) addresses.add(address);
  return addresses;
}

function accountsOf({ owner, active }: Account): Set<Instance> {
  const accounts = new Set<Instance>();
  for (const { account_auths } of [owner, active]) for (const [account] of account_auths) accounts.add(account);
  return accounts;
}
