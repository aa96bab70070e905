import { ChainError, defineErrors, FAMILY } from '../../base/errors.js';
import { Chain } from '../../chain/chain.js';
import type { GenesisSource } from '../../chain/genesis-source.js';
import { MemoryBlockStore } from '../../chain/memory-block-store.js';
import type { JsonObject } from '../../codec/json.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import { type BalanceOwner, genesisClaims, signedForHead } from '../../node/dev/genesis-claims.js';
import { requiredFee } from '../../operations/pipeline.js';
import { makeAsset } from '../../protocol/asset.js';
import { CORE_ASSET, type Instance } from '../../protocol/ids.js';
import type { OperationBody } from '../../protocol/operation-slot.js';
import { type SignedTransaction, signedTransaction } from '../../protocol/transaction.js';
import { accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import { balanceOf } from '../../state/rules/balances.js';
import { parameters } from '../../state/rules/parameters.js';
import type { ReadState } from '../../state/views.js';
import { chainContractEngine } from '../../vm/chain-engine.js';
import { contractKeys } from '../../vm/keys.js';

export const FIRST_TRANSACTION_ERRORS = defineErrors({
  genesis_supply: {
    ...FAMILY.invalidArgument,
    text: 'option supply: each account has ${share} coins, and ${issuer} pays ${fee} for the price of ${symbol} in block 1, without which nobody is told a fee: --supply ${least} is the least for ${accounts} account(s)',
  },
});

const ASSET_UPDATE = 11;
const COIN = 100_000n;

const coinsOf = (amount: bigint): number => Number(amount) / Number(COIN);

/**
 * What block 1 needs so that people can pay from then on: each account has its genesis balance, and the core asset has
 * the rate to itself without which nobody is told a fee. Tried on the chain itself, in memory.
 */
export function firstTransactions(genesis: GenesisSource, keys: ReadonlyMap<string, PrivateKey>): JsonObject[] {
  const engine = chainContractEngine(contractKeys(genesis.network));
  const { pending, queries } = new Chain({ genesis, engine, blocks: new MemoryBlockStore() });
  const { state } = queries;
  const owners = [...keys].flatMap(([name, key]): BalanceOwner[] => {
    const account = state.findBy(accountObject.by.name, name);
    return account === undefined ? [] : [{ id: account.id, key }];
  });
  const list = genesisClaims(state, owners);
  for (const transaction of list) pending.push({ transaction });
  const { issuer, symbol } = state.get(assetObject, CORE_ASSET);
  for (const { id, key } of owners.filter((one) => one.id === issuer)) {
    const { transaction, fee } = corePrice(state, issuer, key);
    const share = balanceOf(state, id, CORE_ASSET);
    if (share < fee) {
      const accounts = genesis.file.initial_balances.length;
      const least = ((fee + COIN - 1n) / COIN) * BigInt(accounts);
      const { name } = state.get(accountObject, id);
      const shown = { share: coinsOf(share), fee: coinsOf(fee), issuer: name };
      throw new ChainError(FIRST_TRANSACTION_ERRORS.genesis_supply, { ...shown, symbol, least, accounts });
    }
    pending.push({ transaction });
    list.push(transaction);
  }
  return list.map((one) => signedTransaction.toJson(one, state.network) as JsonObject);
}

/** One coin is worth one coin. */
function corePrice(s: ReadState, issuer: Instance, key: PrivateKey): { transaction: SignedTransaction; fee: bigint } {
  const one = makeAsset(COIN, CORE_ASSET);
  const body = {
    fee: makeAsset(0n, CORE_ASSET),
    issuer,
    asset_to_update: CORE_ASSET,
    new_issuer: undefined,
    new_options: { ...s.get(assetObject, CORE_ASSET).options, core_exchange_rate: { base: one, quote: one } },
    extensions: [],
  };
  const fee = requiredFee(parameters(s).current_fees, [ASSET_UPDATE, body as OperationBody]);
  const paid = { ...body, fee: makeAsset(fee, CORE_ASSET) } as OperationBody;
  return { transaction: signedForHead(s, [[ASSET_UPDATE, paid]], [key]), fee };
}
