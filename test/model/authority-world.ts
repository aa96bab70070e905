import '../../src/operations/index.js';
import { ChainError } from '../../src/base/errors.js';
import { compareKeysByAddress } from '../../src/crypto/address.js';
import { authoritySource, verifyAuthority } from '../../src/operations/authorities.js';
import { AccountSet, type Authority, emptyAuthority } from '../../src/protocol/authority.js';
import { requiredSignatures } from '../../src/protocol/authority-check.js';
import { accountObject } from '../../src/state/objects/account.js';
import { OBJECTS } from '../../src/state/objects/index.js';
import { SeededRandom } from '../sim/random.js';
import { FreeWorld } from '../support/free-world.js';
import { addressesOf } from './addresses.js';
import { type Proof, useful, verify } from './authority.js';
import { textOf } from './compare.js';
import { Model } from './model.js';
import { RULES } from './rules.js';
import { KEYS } from './scene.js';
import { Refused } from './tables.js';

const COUNT = 11;
const TEMP = 4;
const SORTED = [...KEYS].sort(compareKeysByAddress);
const ACCOUNTS = Array.from({ length: COUNT }, (_, id) => id);
const UNKNOWN = 999;

interface Case {
  readonly active: readonly number[];
  readonly owner: readonly number[];
  readonly other: Authority[];
  readonly proof: Proof;
}

/** What the model says, as the program calls it. */
const NAMES: Readonly<Record<string, string>> = {
  'the committee only proposes': 'committee_approval_invalid',
  'an active authority is missing': 'active_auth_missing',
  'an owner authority is missing': 'owner_auth_missing',
  'another authority is missing': 'other_auth_missing',
  'a key that nobody asked for': 'signature_irrelevant',
};

/** Accounts that are members of each other in every way, and who is asked for what they allow. */
export class AuthorityWorld {
  readonly #random: SeededRandom;
  readonly #w = new FreeWorld();
  readonly #m: Model;
  readonly verdicts = new Set<string>();

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
    const random = this.#random;
    for (let id = 6; id < COUNT; id++) this.#w.account(`account${id}`);
    for (const id of ACCOUNTS) {
      this.#w.changeAccount(id, {
        owner: this.#authority(),
        active: id === TEMP ? emptyAuthority() : this.#authority(),
      });
    }
    this.#w.setParameters({ max_authority_depth: random.pick([0, 1, 2, 2, 3, 4]) });
    this.#m = new Model(this.#w.state, OBJECTS, RULES);
  }

  #authority(): Authority {
    const random = this.#random;
    const few = <T>(list: readonly T[], p: number): [T, number][] =>
      list.filter(() => random.chance(p)).map((one) => [one, random.pick([0, 1, 1, 1, 2, 3])]);
    const addresses = SORTED.map((key) => random.pick(addressesOf(key))).sort();
    return {
      weight_threshold: random.pick([0, 1, 1, 2, 2, 3, 5]),
      account_auths: few(random.chance(0.02) ? [...ACCOUNTS, UNKNOWN] : ACCOUNTS, 0.2),
      key_auths: few(SORTED, 0.25),
      address_auths: few(addresses, 0.1),
    };
  }

  #case(): Case {
    const random = this.#random;
    const few = (p: number) => ACCOUNTS.filter(() => random.chance(p));
    const other = Array.from({ length: random.pick([0, 0, 0, 1, 2]) }, () => this.#authority());
    const keys = random.shuffle(KEYS.filter(() => random.chance(0.35)));
    const proof = random.chance(0.4) ? { keys, active: few(0.2), owner: few(0.1), committee: true } : { keys };
    return { active: few(0.12), owner: few(0.06), other, proof };
  }

  /** What the program remembers of accounts must not outlive a change of them, nor come from one that was undone. */
  #change(): void {
    const random = this.#random;
    const id = random.pick(ACCOUNTS.filter((one) => one !== TEMP));
    const change = random.chance(0.5) ? { active: this.#authority() } : { owner: this.#authority() };
    if (random.chance(0.7)) {
      this.#w.changeAccount(id, structuredClone(change));
      this.#m.change(accountObject, id, (o) => Object.assign(o, change));
      return;
    }
    const undone = new Error('undone');
    try {
      this.#w.state.nested(() => {
        this.#w.changeAccount(id, change);
        this.#program(this.#case());
        throw undone;
      });
    } catch (error) {
      if (error !== undone) throw error;
    }
  }

  #program({ active, owner, other, proof }: Case): string {
    const required = { active: new AccountSet(), owner: new AccountSet(), other };
    for (const id of active) required.active.add(id);
    for (const id of owner) required.owner.add(id);
    const {
      keys,
      active: activeApprovals = [],
      owner: ownerApprovals = [],
      committee: allowsCommittee = false,
    } = proof;
    const said = (work: () => string): string => {
      try {
        return work();
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        return error.row.key;
      }
    };
    const verdict = said(() => {
      verifyAuthority(this.#w.state, required, { keys, activeApprovals, ownerApprovals, allowsCommittee });
      return 'allowed';
    });
    const atHand = { signed: [], available: keys };
    return `${verdict} ${said(() => requiredSignatures(authoritySource(this.#w.state), required, atHand).join())}`;
  }

  #model({ active, owner, other, proof }: Case): string {
    const required = { active: new Set(active), owner: new Set(owner), other };
    const said = (work: () => string): string => {
      try {
        return work();
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        return NAMES[error.message] ?? 'object_missing';
      }
    };
    const verdict = said(() => {
      verify(this.#m, required, proof);
      return 'allowed';
    });
    this.verdicts.add(verdict);
    return `${verdict} ${said(() => useful(this.#m, required, proof.keys).sort(compareKeysByAddress).join())}`;
  }

  /** The first case on which they do not agree. */
  run(cases: number): string | undefined {
    for (let i = 0; i < cases; i++) {
      if (this.#random.chance(0.2)) this.#change();
      const one = this.#case();
      const [ours, theirs] = [this.#program(one), this.#model(one)];
      if (ours !== theirs) return `case ${i}: program ${ours}, model ${theirs}: ${textOf(one)}`;
    }
    return undefined;
  }
}
