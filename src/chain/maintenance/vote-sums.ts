import { invariant } from '../../base/errors.js';
import { NumberSet } from '../../base/number-set.js';
import type { AccountOptions } from '../../protocol/authority.js';
import { CORE_ASSET, type Instance } from '../../protocol/ids.js';
import type { ChainState } from '../../state/chain-state.js';
import { accountObject } from '../../state/objects/account.js';
import { accountBalanceObject } from '../../state/objects/account-balance.js';
import { type AccountStatisticsObject, accountStatisticsObject } from '../../state/objects/account-statistics.js';
import { lockBalanceObject } from '../../state/objects/lock-balance.js';
import { trustNodePledgeObject } from '../../state/objects/trust-node-pledge.js';
import { vestingBalanceObject } from '../../state/objects/vesting-balance.js';
import { balanceOf } from '../../state/rules/balances.js';
import { isStakingMode } from '../../state/rules/parameters.js';
import { Opinions } from './opinions.js';
import { type Account, cashbackOf, countsForAll, opinionOf, recount, Stakes } from './stakes.js';

/** What one account was counted with. */
interface Counted {
  readonly stake: bigint;
  readonly opinion: Instance;
}

/** An account whose opinion is counted: the stake behind it, and what was added to the sums for it. */
interface Voter {
  weight: bigint;
  added: bigint;
  options: AccountOptions | undefined;
}

/**
 * Votes counted by what has changed since the last maintenance. Every change of a balance, lock, pledge, vesting balance
 * or account notes the account, also when it is taken back; a count looks at those accounts alone and moves the sums by
 * the differences. So there is nothing to undo: whatever branch the state stands on, an account that is not noted has
 * what it was counted with.
 */
export class VoteSums {
  readonly #s: ChainState;
  readonly #mustRecount: boolean;
  readonly #changed = new NumberSet();
  /** Statistics that changed; they may say that fees are to be paid out. */
  readonly #charged = new NumberSet();
  #knowsCharged = false;
  /** Undefined: nothing is counted yet, or under other rules. */
  #sums: Sums | undefined;

  constructor(state: ChainState, options: { readonly mustRecount?: boolean } = {}) {
    this.#s = state;
    this.#mustRecount = options.mustRecount ?? false;
    const changed = this.#changed;
    const note = (owner: Instance): void => {
      // A made-up owner may be any number: an account is noted when it comes to be.
      if (!changed.has(owner) && owner < state.nextInstance(accountObject)) changed.add(owner);
    };
    state.watch(accountObject, ({ id }) => this.#changed.add(id));
    state.watch(accountBalanceObject, ({ owner, asset_type }) => {
      if (asset_type === CORE_ASSET) note(owner);
    });
    state.watch(lockBalanceObject, ({ owner }) => note(owner));
    state.watch(trustNodePledgeObject, ({ owner_account }) => note(owner_account));
    state.watch(vestingBalanceObject, ({ owner }) => note(owner));
    state.watch(accountStatisticsObject, ({ id }) => this.#charged.add(id));
  }

  /** Counts what has changed, so that the next maintenance does not have to begin from nothing. */
  prepare(): void {
    this.#knowCharged();
    if (!isStakingMode(this.#s)) this.opinions();
  }

  /** Undefined where stakes are no sums of what accounts hold, or time alone changes them. */
  opinions(): Opinions | undefined {
    const s = this.#s;
    if (!countsForAll(s) || !s.active('HF_1008')) {
      this.#sums = undefined;
      return undefined;
    }
    const hasPledges = s.active('HF_1129');
    const changed = this.#changed.take();
    let sums = this.#sums;
    // Whatever goes wrong below: what was half counted is not carried on.
    this.#sums = undefined;
    if (sums?.hasPledges === hasPledges) sums.count(changed);
    else sums = new Sums(s, hasPledges);
    this.#sums = sums;
    const { opinions } = sums;
    if (this.#mustRecount) {
      invariant(opinions.equals(recount(s, new Stakes(s))), 'votes that are carried on are those of a recount');
    }
    return opinions;
  }

  /** Accounts with fees to pay out, in no particular order. */
  accountsWithFees(): Account[] {
    const s = this.#s;
    const found: Account[] = [];
    const look = (id: Instance): void => {
      const statistics = s.find(accountStatisticsObject, id);
      if (statistics === undefined || !hasFees(statistics)) return;
      this.#charged.add(id);
      found.push(s.get(accountObject, statistics.owner));
    };
    this.#knowCharged();
    for (const id of this.#charged.take()) look(id);
    return found;
  }

  /** A state that was loaded says of nobody that it has changed. */
  #knowCharged(): void {
    if (this.#knowsCharged) return;
    this.#knowsCharged = true;
    this.#s.forEach(accountStatisticsObject, (statistics) => {
      if (hasFees(statistics)) this.#charged.add(statistics.id);
    });
  }
}

const hasFees = (statistics: Pick<AccountStatisticsObject, 'pending_fees' | 'pending_vested_fees'>): boolean =>
  statistics.pending_fees > 0n || statistics.pending_vested_fees > 0n;

/** The sums under one set of rules. */
class Sums {
  readonly opinions = new Opinions();
  readonly hasPledges: boolean;
  readonly #s: ChainState;
  readonly #counted: (Counted | undefined)[] = [];
  readonly #voters: (Voter | undefined)[] = [];

  constructor(s: ChainState, hasPledges: boolean) {
    this.#s = s;
    this.hasPledges = hasPledges;
    const stakes = new Stakes(s);
    const touched: Instance[] = [];
    s.forEach(accountObject, (account) => this.#weigh(account.id, account, stakes.of(account), touched));
    this.#add(touched);
  }

  count(changed: readonly Instance[]): void {
    const touched: Instance[] = [];
    for (const id of changed) {
      const account = this.#s.find(accountObject, id);
      this.#weigh(id, account, account === undefined ? 0n : this.#stakeOf(account), touched);
      touched.push(id);
    }
    this.#add(touched);
  }

  #stakeOf(account: Account): bigint {
    const s = this.#s;
    let stake = balanceOf(s, account.id, CORE_ASSET) + cashbackOf(s, account);
    for (const { amount } of s.group(lockBalanceObject.by.owner, account.id)) {
      if (amount.asset_id === CORE_ASSET) stake += amount.amount;
    }
    if (!this.hasPledges) return stake;
    const pledge = s.findBy(trustNodePledgeObject.by.owner, account.id);
    return pledge?.amount.asset_id === CORE_ASSET ? stake + pledge.amount.amount : stake;
  }

  /** Moves the account's stake behind the opinion that it has now; undefined: the account is gone. */
  #weigh(id: Instance, account: Account | undefined, stake: bigint, touched: Instance[]): void {
    const before = this.#counted[id];
    const opinion = account === undefined ? undefined : opinionOf(account);
    if (before !== undefined && before.stake === stake && before.opinion === opinion) return;
    if (before !== undefined) this.#shift(before.opinion, -before.stake, touched);
    if (opinion !== undefined) this.#shift(opinion, stake, touched);
    this.#counted[id] = opinion === undefined ? undefined : { stake, opinion };
  }

  #shift(opinion: Instance, stake: bigint, touched: Instance[]): void {
    const voter = this.#voters[opinion];
    if (voter === undefined) this.#voters[opinion] = { weight: stake, added: 0n, options: undefined };
    else voter.weight += stake;
    touched.push(opinion);
  }

  /** Those whose weight or whose choice is another one than before; who is named twice is looked at twice. */
  #add(touched: readonly Instance[]): void {
    for (const id of touched) {
      const voter = this.#voters[id];
      if (voter === undefined) continue;
      const options = this.#s.find(accountObject, id)?.options;
      if (voter.added === voter.weight && voter.options === options) continue;
      invariant(options !== undefined || voter.weight === 0n, 'who has a say is an account');
      if (options !== undefined && options === voter.options) {
        this.opinions.add(options, voter.weight - voter.added);
      } else {
        if (voter.options !== undefined) this.opinions.add(voter.options, -voter.added);
        if (options !== undefined) this.opinions.add(options, voter.weight);
      }
      voter.options = options;
      voter.added = voter.weight;
    }
  }
}
