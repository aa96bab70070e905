import { addressOfKey } from '../../../src/crypto/address.js';
import { transactionId } from '../../../src/crypto/digests.js';
import { abiDef } from '../../../src/protocol/abi.js';
import { emptyAuthority } from '../../../src/protocol/authority.js';
import { CORE_ASSET } from '../../../src/protocol/ids.js';
import { publicKey } from '../../../src/protocol/keys.js';
import { nameFromText } from '../../../src/protocol/name.js';
import { makeVoteId, VOTE_TYPE } from '../../../src/protocol/vote.js';
import type { ChainState } from '../../../src/state/chain-state.js';
import type { ObjectDef, StateObject } from '../../../src/state/define.js';
import { type AccountObject, accountObject } from '../../../src/state/objects/account.js';
import { accountBalanceObject } from '../../../src/state/objects/account-balance.js';
import { assetObject } from '../../../src/state/objects/asset.js';
import { balanceObject } from '../../../src/state/objects/balance.js';
import { blindedBalanceObject } from '../../../src/state/objects/blinded-balance.js';
import { committeeMemberObject } from '../../../src/state/objects/committee-member.js';
import { index64Object, keyValueObject, tableIdObject } from '../../../src/state/objects/contract-table.js';
import {
  dataMarketCategoryObject,
  dataTransactionComplainObject,
  dataTransactionObject,
  freeDataProductObject,
  leagueDataProductObject,
  leagueObject,
  MARKET_TYPE,
  PRODUCT_STATUS,
  pocsObject,
  secondHandDataObject,
} from '../../../src/state/objects/data-market.js';
import { lockBalanceObject } from '../../../src/state/objects/lock-balance.js';
import { proposalObject } from '../../../src/state/objects/proposal.js';
import { stakingObject } from '../../../src/state/objects/staking.js';
import { transactionObject } from '../../../src/state/objects/transaction.js';
import { vestingBalanceObject } from '../../../src/state/objects/vesting-balance.js';
import { withdrawPermissionObject } from '../../../src/state/objects/withdraw-permission.js';
import { witnessObject } from '../../../src/state/objects/witness.js';
import { workerObject } from '../../../src/state/objects/worker.js';
import { NETWORK } from '../../support/network.js';
import { keyText } from './key-texts.js';

/**
 * Tables with as many rows as wanted, in the way that costs a reader most: all that can belong to one account belongs to
 * the same, all keys are the same key, all products are in one category and match every question.
 */

/** To whom all that has an owner belongs. */
export const OWNER = { name: 'owner', id: 6 };
export const CONTRACT = { name: 'contract', id: 7 };
export const FIRST_ACCOUNT = 8;
export const KEY = keyText(1);
const key = publicKey.fromJson(KEY, NETWORK);
export const ADDRESS = addressOfKey(key);
/** Of the contract. The second one has entries in its index whose rows are gone. */
export const TABLE = 'rec';
export const DANGLING_TABLE = 'gone';
const tables = { rows: 0, dangling: 1 };

const FAR = 2_000_000_000;
const CREATED = 1_600_000_000;
const FOREVER = 0xffffffff;

export interface Filling<T extends StateObject = StateObject> {
  readonly definition: ObjectDef<T>;
  readonly row: (index: number) => Partial<Omit<T, 'id'>>;
}

function filling<T extends StateObject>(
  definition: ObjectDef<T>,
  row: (index: number) => Partial<Omit<T, 'id'>>,
): Filling {
  return { definition, row } as unknown as Filling;
}

const authority = { ...emptyAuthority(1), key_auths: [[key, 1] as [string, number]] };
const shared = {
  ...authority,
  account_auths: [[OWNER.id, 1] as [number, number]],
  address_auths: [[ADDRESS, 1] as [typeof ADDRESS, number]],
};
const core = { amount: 5n, asset_id: CORE_ASSET };
const recommended = { recommend_expiration_date_time: FOREVER, status: PRODUCT_STATUS.online };
const product = (i: number) => ({ product_name: `product ${i}`, brief_desc: 'a product', status: 1 });

/** Rows by table. An account and an asset for every row of those that name one. */
export const FILLINGS: readonly Filling[] = [
  filling(accountObject, (i) => ({ name: `account-${i}`, owner: authority, active: shared })),
  filling(assetObject, (i) => ({ symbol: `ASSET${i}`, issuer: OWNER.id })),
  filling(accountBalanceObject, (i) => ({ owner: FIRST_ACCOUNT + i, asset_type: CORE_ASSET, balance: BigInt(i + 1) })),
  filling(accountBalanceObject, (i) => ({ owner: OWNER.id, asset_type: 3 + i, balance: 1n })),
  filling(balanceObject, (i) => ({ owner: ADDRESS, balance: { amount: BigInt(i), asset_id: CORE_ASSET } })),
  filling(blindedBalanceObject, (i) => ({ commitment: commitmentOf(i) })),
  filling(lockBalanceObject, (i) => ({ owner: OWNER.id, create_date_time: i, amount: core })),
  filling(vestingBalanceObject, () => ({ owner: OWNER.id, balance: core })),
  filling(stakingObject, () => ({ owner: OWNER.id, trust_node: 0, amount: core })),
  filling(withdrawPermissionObject, () => ({ withdraw_from_account: OWNER.id, expiration: FAR })),
  filling(proposalObject, () => ({
    expiration_time: FAR,
    required_active_approvals: [OWNER.id],
    required_owner_approvals: [OWNER.id],
    available_active_approvals: [OWNER.id],
  })),
  filling(transactionObject, (i) => ({ trx_id: transactionIdOf(i) })),
  filling(witnessObject, (i) => ({ witness_account: FIRST_ACCOUNT + i, vote_id: makeVoteId(VOTE_TYPE.witness, i) })),
  filling(committeeMemberObject, (i) => ({
    committee_member_account: FIRST_ACCOUNT + i,
    vote_id: makeVoteId(VOTE_TYPE.committee, i),
  })),
  filling(workerObject, () => ({ worker_account: OWNER.id })),
  filling(dataMarketCategoryObject, (i) => ({ data_market_type: MARKET_TYPE.free, order_num: i })),
  filling(freeDataProductObject, (i) => ({ ...product(i), ...recommended })),
  filling(leagueDataProductObject, product),
  filling(leagueObject, (i) => ({ league_name: `league ${i}`, brief_desc: 'a league', ...recommended })),
  filling(dataTransactionObject, (i) => ({ request_id: `request ${i}`, create_date_time: CREATED + i })),
  filling(pocsObject, (i) => ({ league_id: 0, account_id: FIRST_ACCOUNT + i })),
  filling(secondHandDataObject, (i) => ({ second_hand_datasource_id: FIRST_ACCOUNT + i, create_date_time: CREATED })),
  filling(dataTransactionComplainObject, (i) => ({
    data_transaction_request_id: `request ${i}`,
    requester: FIRST_ACCOUNT + i,
    datasource: FIRST_ACCOUNT + i,
    create_date_time: CREATED,
  })),
  filling(keyValueObject, (i) => ({ t_id: tables.rows, primary_key: BigInt(i), value: new Uint8Array(8) })),
  filling(index64Object, (i) => ({ t_id: tables.rows, primary_key: BigInt(i), secondary_key: BigInt(i) })),
  filling(index64Object, (i) => ({ t_id: tables.dangling, primary_key: BigInt(i), secondary_key: BigInt(i) })),
];

export function commitmentOf(index: number): string {
  return `02${index.toString(16).padStart(64, '0')}`;
}

/** A hash, as all are: in a table of them, numbers would stand one behind the other. */
export function transactionIdOf(index: number): string {
  return transactionId(new Uint8Array(Uint32Array.of(index).buffer));
}

const rec = { base: '', fields: [{ name: 'id', type: 'uint64' }] };
const declared = (name: string) => ({
  name: nameFromText(name),
  index_type: 'i64',
  key_names: [],
  key_types: [],
  type: name,
});

/** What the rows below belong to. The state is that of a bare world, with its six accounts and three assets. */
export function fillNamed(state: ChainState, account: (name: string, given: Partial<AccountObject>) => number): void {
  account(OWNER.name, { active: authority, owner: authority });
  account(CONTRACT.name, {
    code: new Uint8Array(1),
    abi: {
      ...abiDef.default(),
      structs: [
        { name: TABLE, ...rec },
        { name: DANGLING_TABLE, ...rec },
      ],
      actions: [{ name: nameFromText(TABLE), type: TABLE, payable: false }],
      tables: [declared(TABLE), declared(DANGLING_TABLE)],
    },
  });
  // For questions about fees.
  state.modify(assetObject, state.get(assetObject, CORE_ASSET), (o) => {
    o.options = { ...o.options, core_exchange_rate: { base: core, quote: core } };
  });
  const code = BigInt(CONTRACT.id);
  for (const table of [nameFromText(TABLE), nameFromText(DANGLING_TABLE)]) {
    state.create(tableIdObject, { code, scope: code, table, payer: code, count: 1 });
  }
}

export function fillRows(state: ChainState, { definition, row }: Filling, count: number): void {
  const defaults = definition.schema.default();
  for (let i = 0; i < count; i++) state.create(definition, { ...defaults, ...row(i) });
}
