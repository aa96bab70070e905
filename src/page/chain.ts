import { clientOver, type NodeClient } from '../client/client.js';
import { HttpConnection } from '../client/connection.js';
import type { PrivateKey } from '../crypto/private-key.js';
import type { PublicKey } from '../crypto/public-key.js';
import { accountId, assetId, type Instance } from '../protocol/ids.js';
import type { Settings } from './market.js';

/** What the page asks a node: accounts, their keys, their money. */

interface KnownAccount {
  /** `1.2.n` */
  readonly account: string;
  readonly name: string;
}

export class Chain {
  readonly #client: NodeClient;
  readonly #asset: Instance;

  constructor(url: string, { keyPrefix, asset }: Settings) {
    this.#client = clientOver(new HttpConnection(url, {}), { keyPrefix });
    this.#asset = assetId.fromJson(asset);
  }

  /** Accounts for which the key alone may act. */
  async accountsOf(key: PrivateKey): Promise<readonly KnownAccount[]> {
    const { database } = this.#client;
    const [ids = []] = await database.get_key_references({ keys: [key.publicKey] });
    const found = await database.get_accounts({ ids: [...new Set(ids)] });
    return found.flatMap((one) => {
      if (one === undefined) return [];
      const { weight_threshold, key_auths } = one.active;
      const actsAlone = key_auths.some(([own, weight]) => own === key.publicKey && weight >= weight_threshold);
      return actsAlone ? [{ account: `1.2.${one.id}`, name: one.name }] : [];
    });
  }

  /** With the key by which it acts; undefined where it is not there, or acts by several only. */
  async find(name: string): Promise<(KnownAccount & { readonly key: PublicKey }) | undefined> {
    const found = await this.#client.database.get_account_by_name({ name });
    if (found === undefined) return undefined;
    const { weight_threshold, key_auths } = found.active;
    const [key] = key_auths.find(([, weight]) => weight >= weight_threshold) ?? [];
    return key === undefined ? undefined : { account: `1.2.${found.id}`, name: found.name, key };
  }

  async balance(account: string): Promise<bigint> {
    const id = accountId.fromJson(account);
    const found = await this.#client.database.get_account_balances({ id, assets: [this.#asset] });
    return found.find(({ asset_id }) => asset_id === this.#asset)?.amount ?? 0n;
  }

  /** The key with which a source opens and seals, by the chain itself. */
  async keyOf(account: Instance): Promise<PublicKey | undefined> {
    const [found] = await this.#client.database.get_accounts({ ids: [account] });
    return found?.active.key_auths[0]?.[0];
  }

  async isTaken(name: string): Promise<boolean> {
    return (await this.#client.database.get_account_by_name({ name })) !== undefined;
  }
}
