import { check, defineErrors } from '../../base/errors.js';
import { assertionOperation, type predicate } from '../../protocol/operations/accounts.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import { BLOCK_SUMMARY_COUNT, blockSummaryObject } from '../../state/objects/block-summary.js';
import { parameters } from '../../state/rules/parameters.js';
import type { ReadState } from '../../state/views.js';
import { checkFee } from '../checks.js';
import { defineOperation, SKIP } from '../define.js';

export const ASSERT_ERRORS = defineErrors({
  predicate_unknown: {
    text: 'unsigned(p.which()) < max_predicate_opcode: ',
    hint: 'the chain does not know this kind of predicate yet',
  },
  predicate_account_name: { text: 'p.account_id(db).name == p.name: ', hint: 'the account has another name' },
  predicate_asset_symbol: { text: 'p.asset_id(db).symbol == p.symbol: ', hint: 'the asset has another symbol' },
  predicate_block_id: {
    text: 'block_summary_id_type( block_header::num_from_id( p.id ) & 0xffff )(db).block_id == p.id: ',
    hint: 'the block is not one of this chain, or too old',
  },
});

type Predicate = ReturnType<typeof predicate.default>;

function checkPredicate(s: ReadState, [tag, p]: Predicate): void {
  check(tag < parameters(s).max_predicate_opcode, ASSERT_ERRORS.predicate_unknown);
  if (tag === 0) check(s.get(accountObject, p.account_id).name === p.name, ASSERT_ERRORS.predicate_account_name);
  else if (tag === 1) check(s.get(assetObject, p.asset_id).symbol === p.symbol, ASSERT_ERRORS.predicate_asset_symbol);
  else {
    // A block id begins with the block's number.
    const number = Number.parseInt(p.id.slice(0, 8), 16);
    const summary = s.get(blockSummaryObject, number % BLOCK_SUMMARY_COUNT);
    check(summary.block_id === p.id, ASSERT_ERRORS.predicate_block_id);
  }
}

/** Makes its transaction fail unless all predicates hold. Quirk: `required_auths` demands nothing. */
export const assertOperation = defineOperation({
  ...assertionOperation,
  payer: (op) => op.fee_paying_account,
  validate: checkFee,
  evaluate(s, op, context) {
    if ((context.skip & SKIP.assertEvaluation) !== 0) return;
    for (const each of op.predicates) checkPredicate(s, each);
  },
  apply: () => VOID_RESULT,
});
