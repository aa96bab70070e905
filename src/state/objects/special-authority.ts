import { specialAuthorityRecord } from '../../protocol/objects/accounts-and-assets.js';
import { defineObject, unique } from '../define.js';

/** Marks an account with a top-holder authority, which maintenance refreshes. */
export const specialAuthorityObject = defineObject(
  { ...specialAuthorityRecord, keep: 'sparse' },
  { account: unique((mark) => mark.account) },
);
