import { accountRecord } from '../../protocol/objects/accounts-and-assets.js';
import { defineObject, type ObjectOf, ordered, unique } from '../define.js';

export const accountObject = defineObject(accountRecord, {
  name: unique((account) => account.name, { fixed: true }),
  /** For clients. */
  nameOrder: ordered([(account) => account.name], { fixed: true, sortedLate: true }),
});
export type AccountObject = ObjectOf<typeof accountObject>;
