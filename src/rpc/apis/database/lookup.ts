import { accountId, type Instance } from '../../../protocol/ids.js';
import { type AccountObject, accountObject } from '../../../state/objects/account.js';
import type { ReadState } from '../../../state/views.js';
import { type Pieces, sortInPieces } from '../../pieces/pieces.js';

type Account = Readonly<AccountObject>;

export function findByName(s: ReadState, name: string): Account | undefined {
  return s.findBy(accountObject.by.name, name);
}

/** A text that begins with a digit is an id, any other a name. */
export function findByNameOrId(s: ReadState, text: string): Account | undefined {
  return /^\d/.test(text) ? s.find(accountObject, accountId.fromJson(text)) : findByName(s, text);
}

/** The order in which every list of balances goes out. */
export function byAsset<T extends { readonly asset_type: Instance }>(rows: readonly T[]): Pieces<T[]> {
  return sortInPieces(rows, (a, b) => a.asset_type - b.asset_type);
}
