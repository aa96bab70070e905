import { check, fail } from '../../base/errors.js';
import { prettyAmount } from '../../client/amounts.js';
import { operationOf } from '../../client/operations.js';
import { array, optional } from '../../codec/containers.js';
import type { Json } from '../../codec/json.js';
import { text, u8, u16, u32 } from '../../codec/scalars.js';
import type { Type } from '../../codec/type.js';
import { deriveKey, normalizeBrainKey } from '../../crypto/brain-key.js';
import type { PublicKey } from '../../crypto/public-key.js';
import {
  type AccountOptions,
  type Authority,
  accountOptions,
  authority,
  emptyAuthority,
  keyAuthority,
} from '../../protocol/authority.js';
import { PROXY_TO_SELF_ACCOUNT } from '../../protocol/ids.js';
import { publicKey } from '../../protocol/keys.js';
import type { Operation } from '../../protocol/operation-slot.js';
import {
  accountCreateOperation,
  accountUpdateOperation,
  accountUpgradeOperation,
  accountWhitelistOperation,
} from '../../protocol/operations/accounts.js';
import { type Account, accountIdText } from '../chain-view.js';
import { CHECK_ERRORS, KEYSTORE_ERRORS } from '../errors.js';
import { firstFreeChild } from '../keys/derived.js';
import { asList, asObject } from '../node-link.js';
import { awaitAccount } from '../registrations.js';
import type { Wallet } from '../wallet.js';
import { act, BROADCAST, FEE_AND_BROADCAST, feeAsset, SIGNED_TRANSACTION } from './common.js';
import { type CommandTable, command } from './define.js';

/** The end of 32-bit seconds: for ever. */
const FOREVER = 0xffff_ffff;

export const isLifetimeMember = (account: Account): boolean => account.membership_expiration_date === FOREVER;

const requireUnlocked = (wallet: Wallet): void => check(!wallet.ring.isLocked, KEYSTORE_ERRORS.wallet_locked_self);

interface Registration {
  readonly name: string;
  readonly owner: PublicKey;
  readonly active: PublicKey;
  readonly memo: PublicKey;
  readonly registrar: string;
  readonly referrer: string;
  readonly percent: number;
  readonly fee?: string;
  readonly broadcast: boolean;
}

/** Registrations name the head block and are signed with every active key of the registrar that is held. */
async function register(wallet: Wallet, given: Registration): Promise<Json> {
  check(given.percent <= 100, CHECK_ERRORS.referrer_percent);
  const registrar = await wallet.chain.account(given.registrar);
  check(isLifetimeMember(registrar), CHECK_ERRORS.registrar_no_member, { account: registrar.name });
  const referrer = await wallet.chain.account(given.referrer);
  const operation = operationOf(accountCreateOperation, {
    registrar: registrar.id,
    referrer: referrer.id,
    referrer_percent: given.percent * 100,
    name: given.name,
    owner: keyAuthority(given.owner),
    active: keyAuthority(given.active),
    options: { ...accountOptions.default(), memo_key: given.memo },
  });
  const signers = registrar.active.key_auths.map(([key]) => key).filter((key) => wallet.ring.has(key));
  const paid = given.fee === undefined ? {} : { feeAsset: await feeAsset(wallet, given.fee) };
  return act(wallet, [operation], { ...paid, broadcast: given.broadcast, onHead: true, signers });
}

const accountListing: Type<number> = {
  ...u8,
  name: 'account_listing',
  fromJson: (json) => {
    if (typeof json === 'number') return u8.fromJson(json);
    const key = text.fromJson(json);
    const listing = LISTINGS.indexOf(key);
    return listing >= 0
      ? listing
      : fail(CHECK_ERRORS.listing_unknown, {
          key,
          enum: 'graphene::chain::account_whitelist_operation::account_listing',
        });
  },
};
const LISTINGS = ['no_listing', 'white_listed', 'black_listed', 'white_and_black_listed'];

/** Members in the order of the chain, each once, as they will be there. */
const inOrder = ({ network }: Wallet, auth: Authority): Authority =>
  authority.fromJson(authority.toJson(auth, network), network);

/** Owner, active or both are replaced; the other one is sent again as it is. */
async function updateAuthority(
  wallet: Wallet,
  name: string,
  kind: string,
  auth: () => Promise<Authority>,
  fee: string,
  broadcast: boolean,
): Promise<Json> {
  check(['owner', 'active', 'all'].includes(kind), CHECK_ERRORS.multisig_kind, { type: kind });
  const account = await wallet.chain.account(name);
  const changed = await auth();
  const operation = operationOf(accountUpdateOperation, {
    account: account.id,
    owner: kind === 'active' ? account.owner : changed,
    active: kind === 'owner' ? account.active : changed,
  });
  return act(wallet, [operation], { feeAsset: await feeAsset(wallet, fee), broadcast });
}

/** The account's options with some changed; everything else is sent as it is. */
export function updateOptions(account: Account, changes: Partial<AccountOptions>): Operation {
  return operationOf(accountUpdateOperation, { account: account.id, new_options: { ...account.options, ...changes } });
}

interface RawBalance {
  readonly amount: Json;
  readonly asset_id: string;
}

/** One amount on each line. */
export async function showAmounts(wallet: Wallet, balances: Json): Promise<string> {
  const lines: string[] = [];
  for (const balance of asList(balances, 'balances')) {
    const { amount, asset_id } = asObject(balance, 'balances') as unknown as RawBalance;
    lines.push(`${prettyAmount(BigInt(String(amount)), await wallet.chain.asset(asset_id))}\n`);
  }
  return lines.join('');
}

export const accountCommands = {
  register_account: command({
    params: {
      name: text,
      owner: publicKey,
      active: publicKey,
      registrar_account: text,
      referrer_account: text,
      referrer_percent: u32,
      ...BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Registers an account that others hold the keys of. Its memo key is the active key.',
    examples: ['register_account "alice-1" "GXC6vQ…" "GXC6vQ…" "nathan" "nathan" 0 true'],
    run: (wallet, args) => {
      requireUnlocked(wallet);
      return register(wallet, {
        name: args.name,
        owner: args.owner,
        active: args.active,
        memo: args.active,
        registrar: args.registrar_account,
        referrer: args.referrer_account,
        percent: args.referrer_percent,
        broadcast: args.broadcast,
      });
    },
  }),
  register_account2: command({
    params: {
      name: text,
      owner: publicKey,
      active: publicKey,
      memo: publicKey,
      registrar_account: text,
      referrer_account: text,
      referrer_percent: u32,
      ...FEE_AND_BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Registers an account with a memo key of its own and the fee in any asset.',
    run: (wallet, args) => {
      requireUnlocked(wallet);
      return register(wallet, {
        name: args.name,
        owner: args.owner,
        active: args.active,
        memo: args.memo,
        registrar: args.registrar_account,
        referrer: args.referrer_account,
        percent: args.referrer_percent,
        fee: args.fee_asset_symbol,
        broadcast: args.broadcast,
      });
    },
  }),
  create_account_with_brain_key: command({
    params: { brain_key: text, account_name: text, registrar_account: text, referrer_account: text, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    secret: ['brain_key'],
    acts: true,
    help: 'Registers an account whose keys come from a brain key. Active and memo key are kept here; the owner key is not, so that whoever takes this wallet does not own the account: keep the words apart.',
    examples: ['create_account_with_brain_key "SIXTEEN WORDS …" "alice-1" "nathan" "nathan" true'],
    run: async (wallet, args) => {
      requireUnlocked(wallet);
      const owner = deriveKey(normalizeBrainKey(args.brain_key), 0);
      const isKnown = async (key: PublicKey): Promise<boolean> =>
        wallet.ring.has(key) ||
        ((await wallet.chain.ask('get_key_references', [publicKey.toJson(key, wallet.network)])) as Json[][])[0]
          ?.length !== 0;
      const active = await firstFreeChild(owner, isKnown);
      const memo = await firstFreeChild(active, isKnown);
      const registrar = await wallet.chain.account(args.registrar_account);
      const referrer = await wallet.chain.account(args.referrer_account);
      const operation = operationOf(accountCreateOperation, {
        registrar: registrar.id,
        referrer: referrer.id,
        name: args.account_name,
        owner: keyAuthority(owner.publicKey),
        active: keyAuthority(active.publicKey),
        options: { ...accountOptions.default(), memo_key: memo.publicKey },
      });
      const signers = registrar.active.key_auths.map(([key]) => key).filter((key) => wallet.ring.has(key));
      awaitAccount(wallet, args.account_name, [active, memo]);
      return act(wallet, [operation], { broadcast: args.broadcast, onHead: true, signers });
    },
  }),
  upgrade_account: command({
    params: { name: text, asset_symbol: text, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Makes an account a lifetime member, which may register accounts. The fee is paid in the given asset.',
    run: async (wallet, { name, asset_symbol, broadcast }) => {
      requireUnlocked(wallet);
      const account = await wallet.chain.account(name);
      check(!isLifetimeMember(account), CHECK_ERRORS.already_lifetime_member, { account: name });
      const operation = operationOf(accountUpgradeOperation, {
        account_to_upgrade: account.id,
        upgrade_to_lifetime_member: true,
      });
      return act(wallet, [operation], { feeAsset: await feeAsset(wallet, asset_symbol), broadcast });
    },
  }),
  get_account: command({
    params: { account_name_or_id: text },
    result: 'account_object',
    help: 'An account by name or id.',
    run: async (wallet, { account_name_or_id }) => (await wallet.chain.account(account_name_or_id)).json,
  }),
  get_account_id: command({
    params: { account_name_or_id: text },
    result: 'account_id',
    help: 'The id of an account.',
    run: async (wallet, args) => accountIdText((await wallet.chain.account(args.account_name_or_id)).id),
  }),
  list_my_accounts: command({
    params: {},
    result: 'vector<account_object>',
    help: 'The accounts that keys were imported for, as they were when the wallet last asked.',
    run: (wallet) => wallet.data.my_accounts.map(({ json }) => json),
  }),
  list_accounts: command({
    params: { lowerbound: text, limit: u32 },
    result: 'map<string,account_id>',
    help: 'Names and ids of accounts from a name on.',
    run: (wallet, { lowerbound, limit }) => wallet.chain.ask('lookup_accounts', lowerbound, limit),
  }),
  get_account_count: command({
    params: {},
    result: 'uint64',
    help: 'How many accounts there are.',
    run: (wallet) => wallet.chain.ask('get_account_count'),
  }),
  is_account_registered: command({
    params: { name: text },
    result: 'bool',
    help: 'Whether there is an account of this name.',
    run: (wallet, { name }) => wallet.chain.ask('is_account_registered', name),
  }),
  is_public_key_registered: command({
    params: { pub_key: text },
    result: 'bool',
    help: 'Whether any account knows this key.',
    run: (wallet, { pub_key }) => wallet.chain.ask('is_public_key_registered', pub_key),
  }),
  list_account_balances: command({
    params: { id: text },
    result: 'vector<asset>',
    help: 'What an account holds.',
    run: async (wallet, { id }) =>
      wallet.chain.ask('get_account_balances', accountIdText((await wallet.chain.account(id)).id), []),
    show: showAmounts,
  }),
  list_account_lock_balances: command({
    params: { id: text },
    result: 'vector<asset>',
    help: 'What an account has locked, for every asset that it holds.',
    run: async (wallet, { id }) =>
      wallet.chain.ask('get_account_lock_balances', accountIdText((await wallet.chain.account(id)).id), []),
    show: showAmounts,
  }),
  whitelist_account: command({
    params: { authorizing_account: text, account_to_list: text, new_listing_status: accountListing, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Puts an account on the white or black list of another: no_listing, white_listed, black_listed, white_and_black_listed.',
    run: async (wallet, args) => {
      const authorizing = await wallet.chain.account(args.authorizing_account);
      const listed = await wallet.chain.account(args.account_to_list);
      const operation = operationOf(accountWhitelistOperation, {
        authorizing_account: authorizing.id,
        account_to_list: listed.id,
        new_listing: args.new_listing_status,
      });
      return act(wallet, [operation], { broadcast: args.broadcast });
    },
  }),
  update_account_multisig: command({
    params: {
      name: text,
      type: text,
      weight_threshold: u32,
      account_auths: array(text),
      account_weights: array(u16),
      ...FEE_AND_BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Replaces owner, active or all authority of an account by accounts with weights.',
    examples: ['update_account_multisig "alice-1" "active" 2 ["bob","carol","dave"] [1,1,1] "GXC" true'],
    run: (wallet, args) =>
      updateAuthority(
        wallet,
        args.name,
        args.type,
        async () => {
          check(args.account_auths.length === args.account_weights.length, CHECK_ERRORS.multisig_sizes);
          const members: [number, number][] = [];
          for (const [i, name] of args.account_auths.entries()) {
            members.push([(await wallet.chain.account(name)).id, args.account_weights[i] as number]);
          }
          return inOrder(wallet, { ...emptyAuthority(args.weight_threshold), account_auths: members });
        },
        args.fee_asset_symbol,
        args.broadcast,
      ),
  }),
  update_account_multisig_keys: command({
    params: {
      name: text,
      type: text,
      weight_threshold: u32,
      key_auths: array(publicKey),
      key_weights: array(u16),
      ...FEE_AND_BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Replaces owner, active or all authority of an account by keys with weights.',
    run: (wallet, args) =>
      updateAuthority(
        wallet,
        args.name,
        args.type,
        async () => {
          check(args.key_auths.length === args.key_weights.length, CHECK_ERRORS.multisig_key_sizes);
          const members = args.key_auths.map((key, i): [string, number] => [key, args.key_weights[i] as number]);
          return inOrder(wallet, { ...emptyAuthority(args.weight_threshold), key_auths: members });
        },
        args.fee_asset_symbol,
        args.broadcast,
      ),
  }),
  set_voting_proxy: command({
    params: { account_to_modify: text, voting_account: optional(text), ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Lets another account vote for this one; null takes the vote back.',
    run: async (wallet, args) => {
      const account = await wallet.chain.account(args.account_to_modify);
      let proxy = PROXY_TO_SELF_ACCOUNT;
      if (args.voting_account !== undefined) {
        proxy = (await wallet.chain.account(args.voting_account)).id;
        check(account.options.voting_account !== proxy, CHECK_ERRORS.proxy_already_set, {
          account: args.account_to_modify,
          voter: args.voting_account,
        });
      } else {
        check(account.options.voting_account !== proxy, CHECK_ERRORS.proxy_already_self, {
          account: args.account_to_modify,
        });
      }
      return act(wallet, [updateOptions(account, { voting_account: proxy })], { broadcast: args.broadcast });
    },
  }),
  set_desired_witness_and_committee_member_count: command({
    params: {
      account_to_modify: text,
      desired_number_of_witnesses: u16,
      desired_number_of_committee_members: u16,
      ...BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Says how many witnesses and committee members an account votes to have.',
    run: async (wallet, args) => {
      const account = await wallet.chain.account(args.account_to_modify);
      const { desired_number_of_witnesses: witnesses, desired_number_of_committee_members: members } = args;
      const { num_witness, num_committee } = account.options;
      check(num_witness !== witnesses || num_committee !== members, CHECK_ERRORS.counts_already_set, {
        account: args.account_to_modify,
        witnesses,
        committee_members: members,
      });
      const operation = updateOptions(account, { num_witness: witnesses, num_committee: members });
      return act(wallet, [operation], { broadcast: args.broadcast });
    },
  }),
} satisfies CommandTable;
