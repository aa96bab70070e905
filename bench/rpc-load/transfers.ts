import { toHex } from '../../src/base/bytes.js';
import { encode } from '../../src/codec/binary.js';
import '../../src/operations/index.js';
import { signatureDigest } from '../../src/crypto/digests.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { transaction } from '../../src/protocol/transaction.js';
import { NETWORK } from '../../test/support/network.js';

/** Signed transfers, each one different, made ahead of time: signing must not count. */
export interface TransferInput {
  readonly count: number;
  /** Amount of the first one; each further one gives one unit more, which makes it different. */
  readonly first: number;
  readonly chainId: string;
  readonly from: string;
  readonly to: string;
  readonly wif: string;
  readonly refBlockNum: number;
  readonly refBlockPrefix: number;
  readonly expiration: string;
  readonly coreAsset: string;
  readonly fee: number;
}

export function makeTransfers(input: TransferInput): string[] {
  const key = PrivateKey.fromWif(input.wif);
  const backend = signatureBackend();
  const out: string[] = [];
  for (let i = 0; i < input.count; i++) {
    const json = {
      ref_block_num: input.refBlockNum,
      ref_block_prefix: input.refBlockPrefix,
      expiration: input.expiration,
      operations: [
        [
          0,
          {
            fee: { amount: input.fee, asset_id: input.coreAsset },
            from: input.from,
            to: input.to,
            amount: { amount: input.first + i, asset_id: input.coreAsset },
            extensions: [],
          },
        ],
      ],
      extensions: [],
    };
    const packed = encode(transaction, transaction.fromJson(json as never, NETWORK));
    const signature = toHex(backend.sign(signatureDigest(input.chainId, packed), key));
    out.push(JSON.stringify({ ...json, signatures: [signature] }));
  }
  return out;
}
