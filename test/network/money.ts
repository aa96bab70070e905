import '../../src/operations/index.js';
import type { connect } from '../../src/client/client.js';
import { buildTransaction, idOfTransaction, operationOf, signTransaction } from '../../src/client/transactions.js';
import { addressOfKey } from '../../src/crypto/address.js';
import type { ChainId } from '../../src/crypto/digests.js';
import type { PrivateKey } from '../../src/crypto/private-key.js';
import { requiredFee } from '../../src/operations/pipeline.js';
import { makeAsset } from '../../src/protocol/asset.js';
import { CORE_ASSET, type Instance, ORIGINAL_CORE_ASSET } from '../../src/protocol/ids.js';
import type { Operation } from '../../src/protocol/operation-slot.js';
import { balanceClaimOperation } from '../../src/protocol/operations/accounts.js';
import { assetUpdateOperation } from '../../src/protocol/operations/assets.js';
import { transferOperation } from '../../src/protocol/operations/transfers.js';
import type { SignedTransaction } from '../../src/protocol/transaction.js';
import { eventually } from '../support/eventually.js';
import type { LocalNetwork } from './local-network.js';

type Client = Awaited<ReturnType<typeof connect>>;

/**
 * Fees are asked for in an asset, and the core asset of a new chain has no rate to itself: its issuer gives it one. Until
 * then `get_required_fees` refuses, and so do all SDKs. Undefined where there is one.
 */
async function setCoreRate(client: Client, issuer: Owner): Promise<string | undefined> {
  const [core] = await client.database.get_assets({ ids: [CORE_ASSET] });
  if (core === undefined) throw new Error('there is no core asset');
  if (core.options.core_exchange_rate.base.amount > 0n) return undefined;
  const one = makeAsset(COIN, CORE_ASSET);
  const [tag, body] = operationOf(assetUpdateOperation, {
    issuer: issuer.id,
    asset_to_update: CORE_ASSET,
    new_issuer: undefined,
    new_options: { ...core.options, core_exchange_rate: { base: one, quote: one } },
    extensions: [],
  });
  const { parameters } = await client.database.get_global_properties();
  const fee = makeAsset(requiredFee(parameters.current_fees, [tag, body]), CORE_ASSET);
  return send(client, [[tag, { ...body, fee }]], issuer.key);
}

/** An operation that has its fee already. */
async function send(client: Client, operations: readonly Operation[], key: PrivateKey): Promise<string> {
  const built = await buildTransaction(client, []);
  const chainId = await client.database.get_chain_id();
  const trx = signTransaction({ ...built, operations: [...operations] }, chainId, [key]);
  await client.network_broadcast.broadcast_transaction({ trx });
  return idOfTransaction(trx);
}

export interface Owner {
  readonly id: Instance;
  readonly key: PrivateKey;
}

const COIN = 100_000n;

/** Hands the genesis balances of an account to it; undefined where there is nothing to claim. */
async function claimBalances(client: Client, name: string, key: PrivateKey): Promise<string | undefined> {
  const account = await client.database.get_account_by_name({ name });
  if (account === undefined) throw new Error(`there is no account ${name}`);
  const addresses = [addressOfKey(key.publicKey)];
  const balances = await client.database.get_balance_objects({ addresses });
  if (balances.length === 0) return undefined;
  const operations = balances.map(({ id, balance }) => {
    const [tag, body] = operationOf(balanceClaimOperation, {
      deposit_to_account: account.id,
      balance_to_claim: id,
      balance_owner_key: key.publicKey,
      total_claimed: balance,
    });
    return [tag, { ...body, fee: makeAsset(0n, ORIGINAL_CORE_ASSET) }] as Operation;
  });
  return send(client, operations, key);
}

export interface TransferOptions {
  readonly chainId: ChainId;
  readonly from: Owner;
  readonly to: Instance;
  readonly amount: bigint;
  readonly lifetimeSec?: number;
}

export async function transferOf(client: Client, options: TransferOptions): Promise<SignedTransaction> {
  const { chainId, from, to, amount, lifetimeSec = 60 } = options;
  const given = { from: from.id, to, amount: makeAsset(amount, CORE_ASSET), memo: undefined, extensions: [] };
  const built = await buildTransaction(client, [operationOf(transferOperation, given)], { lifetimeSec });
  return signTransaction(built, chainId, [from.key]);
}

const LOOK_MS = 250;

/** What everybody needs before transfers can be made: each account has its money, and fees have a price. */
export async function openForTransfers(network: LocalNetwork): Promise<Owner[]> {
  const client = await network.node(0).client();
  const owners: Owner[] = [];
  for (const name of network.accounts) {
    const key = network.accountKey(name);
    await claimBalances(client, name, key);
    const account = await client.database.get_account_by_name({ name });
    if (account === undefined) throw new Error(`there is no account ${name}`);
    owners.push({ id: account.id, key });
  }
  const [issuer] = owners;
  if (issuer === undefined) throw new Error('nobody has money');
  await setCoreRate(client, issuer);
  await eventually('fees have a price', () => hasPrice(client, issuer.id), LOOK_MS);
  return owners;
}

/** A block has the whole preparation. */
async function hasPrice(client: Client, issuer: Instance): Promise<boolean> {
  const { head_block_number } = await client.database.get_dynamic_global_properties();
  const block = await client.database.get_block({ block_num: head_block_number });
  const [core] = await client.database.get_assets({ ids: [CORE_ASSET] });
  return block !== undefined && core?.issuer === issuer && core.options.core_exchange_rate.base.amount > 0n;
}
