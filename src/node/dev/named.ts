import { check, defineErrors } from '../../base/errors.js';
import { type Instance, parseObjectId } from '../../protocol/ids.js';
import { accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import type { ReadState } from '../../state/views.js';

export const NAMED_ERRORS = defineErrors({
  dev_account_unknown: { text: 'there is no account ${name} on this chain' },
  dev_asset_unknown: { text: 'there is no asset ${name} on this chain' },
});

const IS_ID = /^\d+\.\d+\.\d+$/;

/** By its name or its id. */
export function accountNamed(s: ReadState, name: string): Instance {
  const found = IS_ID.test(name)
    ? s.find(accountObject, instanceOf(name, '1.2.'))
    : s.findBy(accountObject.by.name, name);
  check(found !== undefined, NAMED_ERRORS.dev_account_unknown, { name });
  return found.id;
}

/** By its symbol or its id. */
export function assetNamed(s: ReadState, name: string): Instance {
  const found = IS_ID.test(name)
    ? s.find(assetObject, instanceOf(name, '1.3.'))
    : s.findBy(assetObject.by.symbol, name);
  check(found !== undefined, NAMED_ERRORS.dev_asset_unknown, { name });
  return found.id;
}

/** Of an id of another type: one that nothing has. */
function instanceOf(id: string, type: string): Instance {
  return id.startsWith(type) ? parseObjectId(id).instance : -1;
}
