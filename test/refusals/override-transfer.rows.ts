import { OVERRIDE_TRANSFER_ERRORS as ERRORS } from '../../src/operations/transfer/override-transfer.js';
import { ASSET_FLAG } from '../../src/protocol/asset.js';
import { accountText, amountJson, FreeWorld } from '../support/free-world.js';
import { assertion, type Refusal } from './define.js';

const w = new FreeWorld();
const alice = w.lifetimeMember('alice');
const bob = w.lifetimeMember('bob');
const carol = w.lifetimeMember('carol');
const plain = w.asset('PLAIN', alice);
const seizable = w.asset('SEIZABLE', alice, { flags: ASSET_FLAG.override_authority });

const override = (issuer: number, from: number, to: number, asset: number) => () =>
  w.run(38, {
    issuer: accountText(issuer),
    from: accountText(from),
    to: accountText(to),
    amount: amountJson(5, asset),
  });

export const refusals: readonly Refusal[] = [
  assertion(ERRORS.override_issuer_is_from, 'issuer != from: ', override(alice, alice, bob, seizable)),
  {
    row: ERRORS.override_not_permitted,
    code: 3053801,
    name: 'override_transfer_not_permitted',
    message: 'not permitted: override_transfer not permitted for asset 1.3.3',
    raise: override(alice, bob, carol, plain),
  },
];
