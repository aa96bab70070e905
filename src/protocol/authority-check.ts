import { compareText } from '../base/bytes.js';
import { ChainError, check, defineErrors } from '../base/errors.js';
import { canonical } from '../codec/containers.js';
import type { Network } from '../codec/type.js';
import { addressesOfKey } from '../crypto/old-addresses.js';
import { type Authority, authority, type RequiredAuthorities } from './authority.js';
import { COMMITTEE_ACCOUNT, type Instance, TEMP_ACCOUNT } from './ids.js';
import { canonicalKeys, publicKey } from './keys.js';

/**
 * Who has to sign, and whether they have. The order of the questions is part of the rules: an authority stops looking
 * as soon as its threshold is reached, and a key that nobody asked for is refused at the end. Accounts are looked up
 * through functions, so that a wallet can ask the same questions as the chain.
 */

const row = (code: number, name: string, title: string, text: string) => ({ code, name, title, text });

export const AUTHORITY_ERRORS = defineErrors({
  active_auth_missing: row(
    3030001,
    'tx_missing_active_auth',
    'missing required active authority',
    'Missing Active Authority ${id}',
  ),
  owner_auth_missing: row(
    3030002,
    'tx_missing_owner_auth',
    'missing required owner authority',
    'Missing Owner Authority ${id}',
  ),
  other_auth_missing: row(3030003, 'tx_missing_other_auth', 'missing required other authority', 'Missing Authority'),
  signature_irrelevant: row(
    3030004,
    'tx_irrelevant_sig',
    'irrelevant signature included',
    'Unnecessary signature(s) detected',
  ),
  signature_duplicate: row(3030005, 'tx_duplicate_sig', 'duplicate signature included', 'Duplicate Signature detected'),
  committee_approval_invalid: row(
    3030006,
    'invalid_committee_approval',
    'committee account cannot directly approve transaction',
    'Committee account may only propose transactions',
  ),
});

/** Where the walk finds the authorities of accounts. An unknown account is refused there. */
export interface AuthoritySource {
  active(account: Instance): Authority;
  owner(account: Instance): Authority;
  /** How many levels of accounts inside authorities of accounts are followed. */
  readonly depthMax: number;
  /** For the texts of refusals. */
  readonly network: Network;
}

export interface AuthorityProof {
  /** Keys that signed, or key approvals of a proposal. */
  readonly keys: readonly string[];
  readonly activeApprovals?: readonly Instance[];
  readonly ownerApprovals?: readonly Instance[];
  /** Only proposals may act for the committee account. */
  readonly allowsCommittee?: boolean;
}

const NOBODY: readonly Instance[] = [];

/** Keys in their order, found by key and by each of their addresses without a look at every one. */
class KeyRing {
  readonly keys: readonly string[];
  /** Made when more than a few are asked for: nearly every transaction has one key. */
  #byKey: Map<string, number> | undefined;
  #byAddress: Map<string, number> | undefined;

  constructor(keys: readonly string[]) {
    this.keys = keys;
  }

  indexOf(key: string): number {
    if (this.keys.length <= FEW_KEYS) return this.keys.indexOf(key);
    this.#byKey ??= firstPlaces(this.keys.map((one, i) => [one, i]));
    return this.#byKey.get(key) ?? -1;
  }

  indexOfAddress(address: string): number {
    this.#byAddress ??= firstPlaces(this.keys.flatMap((key, i) => addressesOfKey(key).map((one) => [one, i] as const)));
    return this.#byAddress.get(address) ?? -1;
  }
}

const FEW_KEYS = 8;
/** In a refusal: making the text of a key takes longer than all else about it. */
const KEYS_SHOWN = 64;

function beginningOf(auth: Authority): Authority {
  const { key_auths, address_auths } = auth;
  return { ...auth, key_auths: key_auths.slice(0, KEYS_SHOWN), address_auths: address_auths.slice(0, KEYS_SHOWN) };
}

/** In the order in which the reference keeps them; of more than are shown it would take too long to find it. */
function shownKeys(keys: readonly string[]): readonly string[] {
  return keys.length > KEYS_SHOWN ? keys.slice(0, KEYS_SHOWN) : canonicalKeys(keys);
}

function firstPlaces(entries: readonly (readonly [string, number])[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [name, i] of entries) if (!places.has(name)) places.set(name, i);
  return places;
}

/** Asks whether given keys and approvals satisfy authorities, one after another, and remembers which keys it used. */
class AuthorityWalk {
  readonly #source: AuthoritySource;
  readonly #ring: KeyRing;
  readonly #used: boolean[];
  /** Absent while it would be empty, as it stays for nearly every transaction. */
  #approved: Set<Instance> | undefined;
  #approvals = 0;
  /**
   * Accounts that did not satisfy, with their depth. Until one more account is approved they do not either, there or
   * deeper; without this, accounts that are members of each other are asked as often as there are ways to them.
   */
  #wanting: Map<Instance, number> | undefined;

  constructor(source: AuthoritySource, keys: readonly string[], approved: readonly Instance[] = NOBODY) {
    this.#source = source;
    this.#ring = new KeyRing(keys);
    this.#used = keys.map(() => false);
    if (approved.length > 0) this.#approved = new Set(approved);
  }

  isApproved(account: Instance): boolean {
    return account === TEMP_ACCOUNT || this.#approved?.has(account) === true;
  }

  #approve(account: Instance): void {
    this.#approved ??= new Set();
    this.#approved.add(account);
    this.#approvals++;
    this.#wanting = undefined;
  }

  get usedKeys(): string[] {
    return this.#ring.keys.filter((_, i) => this.#used[i]);
  }

  get allKeysUsed(): boolean {
    return this.#used.every((used) => used);
  }

  /** Keys count as used even if the authority is not satisfied in the end. */
  isSatisfied(auth: Authority, depth = 0): boolean {
    const threshold = auth.weight_threshold;
    let weight = 0;
    for (const [key, share] of auth.key_auths) {
      if (!this.#use(this.#ring.indexOf(key))) continue;
      weight += share;
      if (weight >= threshold) return true;
    }
    for (const [member, share] of auth.address_auths) {
      if (!this.#use(this.#ring.indexOfAddress(member))) continue;
      weight += share;
      if (weight >= threshold) return true;
    }
    for (const [account, share] of auth.account_auths) {
      if (!this.#satisfiesMember(account, depth)) continue;
      weight += share;
      if (weight >= threshold) return true;
    }
    return weight >= threshold;
  }

  #use(at: number): boolean {
    if (at >= 0) this.#used[at] = true;
    return at >= 0;
  }

  /** Inside of authorities an account acts by its active authority alone. */
  #satisfiesMember(account: Instance, depth: number): boolean {
    if (this.isApproved(account)) return true;
    if (depth === this.#source.depthMax) return false;
    const known = this.#wanting?.get(account);
    if (known !== undefined && known <= depth) return false;
    const approvals = this.#approvals;
    if (this.isSatisfied(this.#source.active(account), depth + 1)) {
      this.#approve(account);
      return true;
    }
    // What was approved on the way may be what a member before it lacked.
    if (approvals === this.#approvals) {
      this.#wanting ??= new Map();
      this.#wanting.set(account, depth);
    }
    return false;
  }
}

/** The key with which an authority begins, if it asks for no more than that. */
export function plainKeyOf({ key_auths, weight_threshold }: Authority): string | undefined {
  // By its place: taking a list apart walks it.
  const member = key_auths[0];
  return member !== undefined && member[1] >= weight_threshold ? member[0] : undefined;
}

/** Refuses when something is missing, and when a key was not needed. */
export function verifyAuthority(source: AuthoritySource, required: RequiredAuthorities, proof: AuthorityProof): void {
  if (proof.allowsCommittee !== true) {
    check(!required.active.has(COMMITTEE_ACCOUNT), AUTHORITY_ERRORS.committee_approval_invalid);
  }
  const owners = proof.ownerApprovals ?? NOBODY;
  const actives = proof.activeApprovals ?? NOBODY;
  const walk = new AuthorityWalk(source, proof.keys, owners.length === 0 ? actives : [...actives, ...owners]);
  for (const other of required.other) {
    check(walk.isSatisfied(other), AUTHORITY_ERRORS.other_auth_missing, () => ({
      auth: authority.toJson(beginningOf(other), source.network),
      sigs: shownKeys(proof.keys).map((key) => publicKey.toJson(key, source.network)),
    }));
  }
  for (const id of required.active.ascending()) {
    if (walk.isApproved(id)) continue;
    const active = source.active(id);
    const isSatisfied = walk.isSatisfied(active) || walk.isSatisfied(source.owner(id));
    check(isSatisfied, AUTHORITY_ERRORS.active_auth_missing, () => ({
      id: `1.2.${id}`,
      auth: authority.toJson(active, source.network),
      owner: authority.toJson(source.owner(id), source.network),
    }));
  }
  // Nearly all transactions need no owner.
  const ownersGiven = required.owner.size === 0 ? undefined : new Set(owners);
  for (const id of required.owner.ascending()) {
    if (ownersGiven?.has(id) === true) continue;
    const owner = source.owner(id);
    check(walk.isSatisfied(owner), AUTHORITY_ERRORS.owner_auth_missing, () => ({
      id: `1.2.${id}`,
      auth: authority.toJson(owner, source.network),
    }));
  }
  check(walk.allKeysUsed, AUTHORITY_ERRORS.signature_irrelevant);
}

/** The same question where an answer is wanted, not a refusal. */
export function isAuthorized(source: AuthoritySource, required: RequiredAuthorities, proof: AuthorityProof): boolean {
  try {
    verifyAuthority(source, required, proof);
    return true;
  } catch (error) {
    if (error instanceof ChainError) return false;
    throw error;
  }
}

export interface KeysAtHand {
  /** Keys whose signatures the transaction already carries. */
  readonly signed: readonly string[];
  /** Keys that could sign. */
  readonly available: readonly string[];
}

function walkAll(source: AuthoritySource, required: RequiredAuthorities, keys: readonly string[]): AuthorityWalk {
  const walk = new AuthorityWalk(source, keys);
  for (const other of required.other) walk.isSatisfied(other);
  for (const id of required.owner.ascending()) walk.isSatisfied(source.owner(id));
  // Quirk: unlike in the check itself, an owner authority does not stand in for an active one here.
  for (const id of required.active.ascending()) walk.isSatisfied(source.active(id));
  return walk;
}

/**
 * Which of the available keys should sign, in the order of their addresses. What can be had is answered even if it is
 * not enough, and sometimes it is more than is needed.
 */
export function requiredSignatures(
  source: AuthoritySource,
  required: RequiredAuthorities,
  { signed, available }: KeysAtHand,
): string[] {
  const present = new Set(signed);
  const offered = available.filter((key) => !present.has(key));
  const { usedKeys } = walkAll(source, required, [...signed, ...offered]);
  return canonicalKeys(usedKeys.filter((key) => !present.has(key)));
}

/** The source, showing `see` every authority that is looked up in it. */
function watched(source: AuthoritySource, see: (auth: Authority) => void): AuthoritySource {
  const show = (auth: Authority): Authority => {
    see(auth);
    return auth;
  };
  return {
    depthMax: source.depthMax,
    network: source.network,
    active: (account) => show(source.active(account)),
    owner: (account) => show(source.owner(account)),
  };
}

/**
 * Every key that could play a part. Quirk: signatures that are already there end the search early and can hide keys;
 * owner keys appear only where an owner authority is required.
 */
export function potentialKeys(
  source: AuthoritySource,
  required: RequiredAuthorities,
  signed: readonly string[],
): string[] {
  const keys: string[] = [];
  const see = (auth: Authority): void => {
    for (const [key] of auth.key_auths) keys.push(key);
  };
  walkAll(watched(source, see), required, signed);
  for (const other of required.other) see(other);
  return canonicalKeys(keys);
}

/** The same for addresses of old. Quirk: authorities that stand in the operations themselves do not count. */
export function potentialAddresses(
  source: AuthoritySource,
  required: RequiredAuthorities,
  signed: readonly string[],
): string[] {
  const found: string[] = [];
  const see = (auth: Authority): void => {
    for (const [member] of auth.address_auths) found.push(member);
  };
  walkAll(watched(source, see), required, signed);
  return canonical(found, compareText);
}
