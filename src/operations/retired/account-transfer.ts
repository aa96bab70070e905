import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { extensions } from '../../protocol/extensions.js';
import { accountId } from '../../protocol/ids.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { flatFee } from '../fee-kinds.js';
import { neverEvaluated } from './retire.js';

const schema = struct('account_transfer', { fee: asset, account_id: accountId, new_owner: accountId, extensions });

/** Was never given a rule: every transaction with it is refused. */
export const accountTransfer = defineOperation({
  tag: 9,
  name: 'account_transfer',
  noEvaluator: true,
  schema,
  fee: flatFee(50_000_000n),
  payer: (op) => op.account_id,
  validate: checkFee,
  evaluate: neverEvaluated,
  apply: () => VOID_RESULT,
});
