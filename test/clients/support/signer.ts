import type { NodeClient } from '../../../src/client/client.js';
import { encodeWith } from '../../../src/codec/binary.js';
import type { JsonObject } from '../../../src/codec/json.js';
import { signatureDigest, tapos } from '../../../src/crypto/digests.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { signatureBackend } from '../../../src/crypto/signature.js';
import type { Asset } from '../../../src/protocol/asset.js';
import { CORE_ASSET, formatObjectId, objectId } from '../../../src/protocol/ids.js';
import type { Operation, OperationBody } from '../../../src/protocol/operation-slot.js';
import { transaction } from '../../../src/protocol/transaction.js';
import { NETWORK } from '../../support/network.js';
import { operationByName } from '../../support/operation-by-name.js';

const LIFETIME_SEC = 60;

export interface Sent {
  readonly id: string;
  /** Id of what the first operation created. */
  readonly created: string | undefined;
}

/** Puts operations into a block with nothing but our own code: what the public clients have no call for. */
export class Signer {
  readonly #node: NodeClient;
  readonly #key: PrivateKey;

  constructor(node: NodeClient, wif: string) {
    this.#node = node;
    this.#key = PrivateKey.fromWif(wif);
  }

  /** Fields as in JSON; what is left out has its default. */
  async send(name: string, fields: JsonObject): Promise<Sent> {
    const { id, created } = await this.sendAll(name, [fields]);
    return { id, created: created[0] };
  }

  /** Several of one kind in one transaction; the ids of what each has created. */
  async sendAll(
    name: string,
    list: readonly JsonObject[],
  ): Promise<{ readonly id: string; readonly created: readonly (string | undefined)[] }> {
    const { database, network_broadcast } = this.#node;
    const definition = operationByName(name);
    if (definition === undefined) throw new Error(`there is no operation ${name}`);
    const bodies = list.map((fields) => {
      const fee = { amount: 0, asset_id: formatObjectId(1, 3, CORE_ASSET) };
      return definition.schema.fromJson({ fee, ...fields }, NETWORK) as { fee: Asset };
    });
    const operations = bodies.map((body): Operation => [definition.tag, body as OperationBody]);
    const fees = await database.get_required_fees({ ops: operations, id: CORE_ASSET });
    for (const [i, body] of bodies.entries()) {
      const fee = fees[i];
      if (fee === undefined) throw new Error('the node names no fee');
      body.fee = fee.fee;
    }
    const [head, chainId] = await Promise.all([database.get_dynamic_global_properties(), database.get_chain_id()]);
    const unsigned = {
      ...tapos(head.head_block_id),
      expiration: head.time + LIFETIME_SEC,
      operations,
      extensions: [],
    };
    const digest = encodeWith(transaction, unsigned, (bytes) => signatureDigest(chainId, bytes));
    const trx = { ...unsigned, signatures: [signatureBackend().sign(digest, this.#key)] };
    const confirmed = await network_broadcast.broadcast_transaction_synchronous({ trx });
    const created = confirmed.trx.operation_results.map((result) =>
      result[0] === 1 ? (objectId.toJson(result[1]) as string) : undefined,
    );
    return { id: confirmed.id, created };
  }
}
