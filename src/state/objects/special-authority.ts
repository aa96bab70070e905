import { struct } from '../../codec/struct.js';
import { accountId } from '../../protocol/ids.js';
import { defineObject, type ObjectOf, unique } from '../define.js';

/** Marks an account with a top-holder authority, which maintenance refreshes. */
export const specialAuthorityObject = defineObject(
  {
    name: 'special_authority',
    space: 2,
    type: 14,
    keep: 'sparse',
    schema: struct('special_authority_object', { account: accountId }),
  },
  { account: unique((mark) => mark.account) },
);
export type SpecialAuthorityObject = ObjectOf<typeof specialAuthorityObject>;
