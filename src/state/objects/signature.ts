import { toHex } from '../../base/bytes.js';
import { time } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { signature } from '../../protocol/keys.js';
import { defineObject, type ObjectOf, ordered, unique } from '../define.js';

/** A signature of a proxy transfer, remembered until it expires, so that none is used twice. */
export const signatureObject = defineObject(
  {
    name: 'signature',
    space: 2,
    type: 22,
    keep: 'sparse',
    schema: struct('signature_object', { signature, expiration: time }),
  },
  {
    /** By the signature's hex text. */
    signature: unique((row) => toHex(row.signature), { fixed: true }),
    expiration: ordered([(row) => row.expiration], { fixed: true }),
  },
);
export type SignatureObject = ObjectOf<typeof signatureObject>;
