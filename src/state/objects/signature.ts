import { toHex } from '../../base/bytes.js';
import { signatureRecord } from '../../protocol/objects/accounts-and-assets.js';
import { defineObject, ordered, unique } from '../define.js';

/** A signature of a proxy transfer, remembered until it expires, so that none is used twice. */
export const signatureObject = defineObject(
  { ...signatureRecord, keep: 'sparse' },
  {
    /** By the signature's hex text. */
    signature: unique((row) => toHex(row.signature), { fixed: true }),
    expiration: ordered([(row) => row.expiration], { fixed: true }),
  },
);
