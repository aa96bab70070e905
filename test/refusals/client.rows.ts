import { ID_HELPER_ERRORS, idOf } from '../../src/client/ids.js';
import { fromPlain, PLAIN, PLAIN_ERRORS } from '../../src/client/plain.js';
import { text } from '../../src/codec/scalars.js';
import { asset } from '../../src/protocol/asset.js';
import { NETWORK } from '../support/network.js';
import { assertion, type Refusal } from './define.js';

/** What the client says of what a program gives it, before it asks any node. */

export const refusals: readonly Refusal[] = [
  assertion(ID_HELPER_ERRORS.id_kind_unknown, 'there is no kind of object named accont', () =>
    idOf('accont' as 'account', 1),
  ),
  assertion(PLAIN_ERRORS.plain_member, 'asset has no member amuont', () => fromPlain(asset, { amuont: 1 }, NETWORK)),
  assertion(PLAIN_ERRORS.plain_argument, 'get_account_by_name takes name (string), which was not given', () =>
    PLAIN.given('get_account_by_name', 'name', text, undefined, NETWORK),
  ),
];
