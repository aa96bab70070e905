import type { JsonObject } from '../../codec/json.js';
import { addressesOfKey } from '../../crypto/old-addresses.js';
import type { PublicKey } from '../../crypto/public-key.js';
import type { Authority } from '../../protocol/authority.js';
import type { Instance } from '../../protocol/ids.js';
import { publicKey } from '../../protocol/keys.js';
import type { Operation } from '../../protocol/operation-slot.js';
import type { Account, ChainView } from '../chain-view.js';
import { accountIdText } from '../chain-view.js';
import type { OperationRules } from '../rules.js';

/** Who has to agree to something, who of them has, and what is still missing: for people who collect signatures. */

/** One member of an authority: a key or an address that signs, or an account that agrees by its own authority. */
export interface AuthorityMember {
  readonly name: string;
  readonly weight: number;
  readonly isGiven: boolean;
  /** Of an account whose authority is looked into. */
  readonly authority: AuthorityNode | undefined;
}

export interface AuthorityNode {
  readonly threshold: number;
  /** What is given of it. */
  readonly weight: number;
  readonly isSatisfied: boolean;
  readonly members: readonly AuthorityMember[];
}

/** An account, or nobody by name, whose authority is required. */
export interface RequiredNode extends AuthorityNode {
  /** `active authority of alice` */
  readonly title: string;
}

export interface GivenConsent {
  readonly keys: readonly PublicKey[];
  /** Of a proposal: accounts that have approved it. */
  readonly approvals?: ReadonlySet<Instance>;
}

export class AuthorityTree {
  readonly #chain: ChainView;
  readonly #given: GivenConsent;
  readonly #keys: ReadonlySet<PublicKey>;
  readonly #addresses: ReadonlySet<string>;
  readonly #accounts = new Map<Instance, Promise<Account>>();

  constructor(chain: ChainView, given: GivenConsent) {
    this.#chain = chain;
    this.#given = given;
    this.#keys = new Set(given.keys);
    this.#addresses = new Set(given.keys.flatMap(addressesOfKey));
  }

  #account(id: Instance): Promise<Account> {
    const known = this.#accounts.get(id) ?? this.#chain.account(accountIdText(id));
    this.#accounts.set(id, known);
    return known;
  }

  /** An owner authority stands in for an active one. */
  async of(operations: readonly Operation[], rules: Pick<OperationRules, 'required'>): Promise<RequiredNode[]> {
    const { active, owner, other } = rules.required(operations);
    const { max_authority_depth } = await this.#chain.parameters();
    const nodes: RequiredNode[] = [];
    for (const id of active.ascending()) {
      const account = await this.#account(id);
      const node = await this.#node(account.active, max_authority_depth);
      const byOwner = node.isSatisfied ? node : await this.#node(account.owner, max_authority_depth);
      const isSatisfied = node.isSatisfied || byOwner.isSatisfied || this.#given.approvals?.has(id) === true;
      nodes.push({ title: `active authority of ${account.name}`, ...node, isSatisfied });
    }
    for (const id of owner.ascending()) {
      const account = await this.#account(id);
      const node = await this.#node(account.owner, max_authority_depth);
      const isSatisfied = node.isSatisfied || this.#given.approvals?.has(id) === true;
      nodes.push({ title: `owner authority of ${account.name}`, ...node, isSatisfied });
    }
    for (const one of other) {
      nodes.push({ title: 'an authority of its own', ...(await this.#node(one, max_authority_depth)) });
    }
    return nodes;
  }

  async #node(auth: Authority, depth: number): Promise<AuthorityNode> {
    const members: AuthorityMember[] = [];
    const plain = (name: string, weight: number, isGiven: boolean): void => {
      members.push({ name, weight, isGiven, authority: undefined });
    };
    for (const [account, weight] of auth.account_auths) members.push(await this.#member(account, weight, depth));
    for (const [key, weight] of auth.key_auths) {
      plain(publicKey.toJson(key, this.#chain.network) as string, weight, this.#keys.has(key));
    }
    for (const [address, weight] of auth.address_auths) plain(address, weight, this.#addresses.has(address));
    const weight = members.reduce((sum, member) => sum + (member.isGiven ? member.weight : 0), 0);
    return { threshold: auth.weight_threshold, weight, isSatisfied: weight >= auth.weight_threshold, members };
  }

  /** Inside of authorities an account acts by its active authority alone, and only so deep. */
  async #member(id: Instance, weight: number, depth: number): Promise<AuthorityMember> {
    const account = await this.#account(id);
    const authority = depth > 0 ? await this.#node(account.active, depth - 1) : undefined;
    const isGiven = authority?.isSatisfied === true || this.#given.approvals?.has(id) === true;
    return { name: account.name, weight, isGiven, authority };
  }
}

function memberJson({ name, weight, isGiven, authority }: AuthorityMember): JsonObject {
  const own = { name, weight, is_given: isGiven };
  return authority === undefined ? own : { ...own, authority: nodeJson(authority) };
}

function nodeJson({ threshold, weight, isSatisfied, members }: AuthorityNode): JsonObject {
  return { threshold, weight, is_satisfied: isSatisfied, members: members.map(memberJson) };
}

export function requiredJson({ title, ...node }: RequiredNode): JsonObject {
  return { required: title, ...nodeJson(node) };
}

const INDENT = '    ';

function memberLines({ name, weight, isGiven, authority }: AuthorityMember, indent: string): string[] {
  const mark = isGiven ? 'given  ' : 'missing';
  const line = `${indent}${mark}  ${name} (${weight})`;
  // The key of a plain account says no more than the account.
  const isPlain = authority === undefined || (authority.members.length === 1 && authority.threshold <= 1);
  return isPlain ? [line] : [`${line}, ${neededText(authority)}`, ...membersLines(authority, `${indent}${INDENT}`)];
}

const membersLines = ({ members }: AuthorityNode, indent: string): string[] =>
  members.flatMap((member) => memberLines(member, indent));

const neededText = ({ threshold, weight, isSatisfied }: AuthorityNode): string =>
  isSatisfied ? `has the ${threshold} that it needs` : `needs ${threshold}, has ${weight}`;

/** `active authority of multi: needs 2, has 1`, then its members. */
export function requiredLines(node: RequiredNode): string[] {
  return [`${node.title}: ${neededText(node)}`, ...membersLines(node, INDENT)];
}
