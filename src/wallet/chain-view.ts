import { check, type ErrorRow, fail } from '../base/errors.js';
import { irreversibleTapos } from '../client/builder.js';
import { clientOver, type NodeClient } from '../client/client.js';
import { fewestSigners } from '../client/signing.js';
import { optional } from '../codec/containers.js';
import type { Json, JsonObject } from '../codec/json.js';
import { text, time, u8 } from '../codec/scalars.js';
import { struct } from '../codec/struct.js';
import type { Network, Type, ValueOf } from '../codec/type.js';
import type { Tapos } from '../crypto/digests.js';
import type { PublicKey } from '../crypto/public-key.js';
import { type Asset, assetOptions } from '../protocol/asset.js';
import { accountOptions, authority } from '../protocol/authority.js';
import type { ChainParameters } from '../protocol/chain-parameters.js';
import { isActive, MAINNET_FORKS } from '../protocol/forks.js';
import { accountId, assetId, CORE_ASSET, type Instance, ORIGINAL_CORE_ASSET, witnessId } from '../protocol/ids.js';
import { publicKey } from '../protocol/keys.js';
import { LEGACY_SYMBOL } from '../protocol/networks.js';
import type { Operation } from '../protocol/operation-slot.js';
import type { SignedTransaction } from '../protocol/transaction.js';
import { voteId } from '../protocol/vote.js';
import { LOOKUP_ERRORS, NODE_ERRORS } from './errors.js';
import { asList, asObject, connectionOver, type NodeLink, readAs, unlessAnswered } from './node-link.js';

/**
 * What the wallet asks of a node, in the types of the chain. Answers that only travel on to the user stay as they came;
 * of objects the members that the wallet reads are decoded.
 */

const accountMembers = struct('account', {
  id: accountId,
  name: text,
  membership_expiration_date: time,
  merchant_expiration_date: time,
  datasource_expiration_date: time,
  data_transaction_member_expiration_date: time,
  registrar: accountId,
  owner: authority,
  active: authority,
  options: accountOptions,
});
export interface Account extends ValueOf<typeof accountMembers> {
  /** As the node showed it. */
  readonly json: JsonObject;
}

const assetMembers = struct('asset', {
  id: assetId,
  symbol: text,
  precision: u8,
  issuer: accountId,
  options: assetOptions,
  dynamic_asset_data_id: text,
  bitasset_data_id: optional(text),
});
export interface AssetView extends ValueOf<typeof assetMembers> {
  readonly json: JsonObject;
}

export type DynamicProperties = Awaited<ReturnType<NodeClient['database']['get_dynamic_global_properties']>>;

const witnessMembers = struct('witness', {
  id: witnessId,
  witness_account: accountId,
  signing_key: publicKey,
  vote_id: voteId,
  pay_vb: optional(text),
  url: text,
});
export interface WitnessView extends ValueOf<typeof witnessMembers> {
  readonly json: JsonObject;
}

const committeeMembers = struct('committee_member', {
  id: text,
  committee_member_account: accountId,
  vote_id: voteId,
});
export interface CommitteeMemberView extends ValueOf<typeof committeeMembers> {
  readonly json: JsonObject;
}

export const accountIdText = (id: Instance): string => `1.2.${id}`;
export const assetIdText = (id: Instance): string => `1.3.${id}`;

const isId = (type: number, given: string): boolean => new RegExp(`^1\\.${type}\\.\\d{1,15}$`).test(given);

export class ChainView {
  readonly node: NodeLink;
  readonly network: Network;
  /** The same node by the declarations of its methods, for whatever the wallet reads itself. */
  readonly client: NodeClient;

  constructor(node: NodeLink, network: Network) {
    this.node = node;
    this.network = network;
    this.client = clientOver(connectionOver(node), network);
  }

  /** Decodes an answer of the node. */
  read<V>(type: Type<V>, method: string, json: Json): V {
    return readAs(type, method, json, this.network);
  }

  /** A method of the database API; the answer as it comes. */
  ask(method: string, ...params: readonly Json[]): Promise<Json> {
    return this.node.call('database', method, params);
  }

  async object(id: string): Promise<Json> {
    return asList(await this.ask('get_objects', [id]), 'get_objects')[0] ?? null;
  }

  async objectOr(id: string, missing: ErrorRow): Promise<JsonObject> {
    const found = await this.object(id);
    return found === null ? fail(missing, { id, type: 'null_type' }) : asObject(found, 'get_objects');
  }

  /** By its declaration: for what is read here and not only handed on. */
  async #declared<V>(method: string, run: (database: NodeClient['database']) => Promise<V>): Promise<V> {
    try {
      return await run(this.client.database);
    } catch (error) {
      throw unlessAnswered(error, method);
    }
  }

  dynamic(): Promise<DynamicProperties> {
    return this.#declared('get_dynamic_global_properties', (of) => of.get_dynamic_global_properties());
  }

  async parameters(): Promise<ChainParameters> {
    return (await this.#declared('get_global_properties', (of) => of.get_global_properties())).parameters;
  }

  /** One of each, also of contracts, whose fees no schedule says. */
  async requiredFees(operations: readonly Operation[], paidIn: Instance): Promise<Asset[]> {
    const method = 'get_required_fees';
    const ops = [...operations];
    const fees = await this.#declared(method, (database) => database.get_required_fees({ ops, id: paidIn }));
    check(fees.length === ops.length, NODE_ERRORS.node_answer, { method });
    return fees.map(({ fee }) => fee);
  }

  /** The asset in which the chain counts fees, at the time of its head. */
  coreAssetAt(headTime: number): Instance {
    return isActive(MAINNET_FORKS, 'HF_1008', headTime) ? CORE_ASSET : ORIGINAL_CORE_ASSET;
  }

  #account(json: Json): Account {
    return { ...this.read(accountMembers, 'get_accounts', json), json: asObject(json, 'get_accounts') };
  }

  /** By its id if it looks like one, else by its exact name. */
  async account(nameOrId: string): Promise<Account> {
    check(nameOrId !== '', LOOKUP_ERRORS.account_name_empty);
    if (isId(2, nameOrId)) {
      const [found = null] = asList(await this.ask('get_accounts', [nameOrId]), 'get_accounts');
      return found === null ? fail(LOOKUP_ERRORS.account_id_unknown, { account: nameOrId }) : this.#account(found);
    }
    const [found = null] = asList(await this.ask('lookup_account_names', [nameOrId]), 'lookup_account_names');
    if (found === null) fail(LOOKUP_ERRORS.wallet_account_name_unknown, { account: nameOrId });
    const account = this.#account(found);
    check(account.name === nameOrId, LOOKUP_ERRORS.wallet_account_name_unknown, { account: nameOrId });
    return account;
  }

  accountById(id: Instance): Promise<Account> {
    return this.account(accountIdText(id));
  }

  async findAsset(symbolOrId: string): Promise<AssetView | undefined> {
    check(symbolOrId !== '', LOOKUP_ERRORS.asset_name_empty);
    const byId = isId(3, symbolOrId);
    const method = byId ? 'get_assets' : 'lookup_asset_symbols';
    const [found = null] = asList(await this.ask(method, [symbolOrId]), method);
    if (found === null) return undefined;
    const asset = { ...this.read(assetMembers, method, found), json: asObject(found, method) };
    // The old symbol of the core asset still names it.
    const isMeant = byId || asset.symbol === symbolOrId || (symbolOrId === LEGACY_SYMBOL && asset.id === CORE_ASSET);
    return isMeant ? asset : undefined;
  }

  /** `missing` is what the command that asks says when there is none. */
  async asset(symbolOrId: string, missing: ErrorRow = LOOKUP_ERRORS.asset_unknown): Promise<AssetView> {
    return (await this.findAsset(symbolOrId)) ?? fail(missing, { asset: symbolOrId });
  }

  assetById(id: Instance): Promise<AssetView> {
    return this.asset(assetIdText(id));
  }

  async witnessOfAccount(account: Instance): Promise<WitnessView | undefined> {
    const found = await this.ask('get_witness_by_account', accountIdText(account));
    return found === null ? undefined : this.#witness(found);
  }

  #witness(json: Json): WitnessView {
    return { ...this.read(witnessMembers, 'get_witnesses', json), json: asObject(json, 'get_witnesses') };
  }

  /** By its own id, or by name or id of its account. */
  async witness(ownerOrId: string): Promise<WitnessView> {
    if (isId(6, ownerOrId)) {
      const [found = null] = asList(await this.ask('get_witnesses', [ownerOrId]), 'get_witnesses');
      return found === null ? fail(LOOKUP_ERRORS.witness_id_unknown, { id: ownerOrId }) : this.#witness(found);
    }
    const account = await this.#accountIfAny(ownerOrId);
    const witness = account && (await this.witnessOfAccount(account.id));
    return witness ?? fail(LOOKUP_ERRORS.witness_unknown, { account: ownerOrId });
  }

  async committeeMemberOfAccount(account: Instance): Promise<CommitteeMemberView | undefined> {
    const method = 'get_committee_member_by_account';
    const found = await this.ask(method, accountIdText(account));
    return found === null ? undefined : this.#committeeMember(found);
  }

  #committeeMember(json: Json): CommitteeMemberView {
    const method = 'get_committee_members';
    return { ...this.read(committeeMembers, method, json), json: asObject(json, method) };
  }

  async committeeMember(ownerOrId: string): Promise<CommitteeMemberView> {
    if (isId(5, ownerOrId)) {
      const [found = null] = asList(await this.ask('get_committee_members', [ownerOrId]), 'get_committee_members');
      return found === null
        ? fail(LOOKUP_ERRORS.committee_member_id_unknown, { id: ownerOrId })
        : this.#committeeMember(found);
    }
    const account = await this.#accountIfAny(ownerOrId);
    const member = account && (await this.committeeMemberOfAccount(account.id));
    return member ?? fail(LOOKUP_ERRORS.committee_member_unknown, { account: ownerOrId });
  }

  async #accountIfAny(nameOrId: string): Promise<Account | undefined> {
    const method = isId(2, nameOrId) ? 'get_accounts' : 'lookup_account_names';
    const [found = null] = asList(await this.ask(method, [nameOrId]), method);
    return found === null ? undefined : this.#account(found);
  }

  /** The block that transactions name: the last irreversible one, which no fork takes back. */
  irreversibleTapos(dynamic: DynamicProperties): Promise<Tapos> {
    return this.#declared('get_block_header', (database) => irreversibleTapos({ database }, dynamic));
  }

  /** Of the keys at hand those that should sign besides those that have. */
  async signersOf(tx: SignedTransaction, has: (key: PublicKey) => boolean): Promise<PublicKey[]> {
    return this.#declared('get_required_signatures', (database) => fewestSigners({ database }, tx, has));
  }
}
