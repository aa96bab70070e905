import { check, defineErrors } from '../../base/errors.js';
import { canonical } from '../../codec/containers.js';
import { compareInstances, type Instance } from '../../protocol/ids.js';
import { accountWhitelistOperation } from '../../protocol/operations/accounts.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { accountObject } from '../../state/objects/account.js';
import { isLifetimeMember } from '../../state/rules/accounts.js';
import { parameters } from '../../state/rules/parameters.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';

export const ACCOUNT_WHITELIST_ERRORS = defineErrors({
  listing_invalid: { text: 'new_listing < 0x4: ', hint: 'a listing has the bits white and black, no others' },
  listing_not_lifetime: {
    text: 'o.authorizing_account(d).is_lifetime_member(): ',
    hint: 'only lifetime members may list accounts',
  },
});

/** Bits of a listing. */
const LISTING = { white: 1, black: 2 } as const;
const LISTING_END = 4;

const withMember = (list: readonly Instance[], member: Instance, isIn: boolean): Instance[] =>
  isIn ? canonical([...list, member], compareInstances) : list.filter((other) => other !== member);

/** An account says of another that it is on its white list, its black list, both or none. */
export const accountWhitelist = defineOperation({
  ...accountWhitelistOperation,
  payer: (op) => op.authorizing_account,
  validate(op) {
    checkFee(op);
    check(op.new_listing < LISTING_END, ACCOUNT_WHITELIST_ERRORS.listing_invalid);
  },
  evaluate(s, op) {
    const listed = s.get(accountObject, op.account_to_list);
    const authorizing = s.get(accountObject, op.authorizing_account);
    const mayList = parameters(s).allow_non_member_whitelists || isLifetimeMember(authorizing);
    check(mayList, ACCOUNT_WHITELIST_ERRORS.listing_not_lifetime);
    return { listed, authorizing };
  },
  apply(s, op, { listed, authorizing }) {
    const isWhite = (op.new_listing & LISTING.white) !== 0;
    const isBlack = (op.new_listing & LISTING.black) !== 0;
    s.modify(accountObject, listed, (o) => {
      o.whitelisting_accounts = withMember(o.whitelisting_accounts, authorizing.id, isWhite);
      o.blacklisting_accounts = withMember(o.blacklisting_accounts, authorizing.id, isBlack);
    });
    s.modify(accountObject, authorizing, (o) => {
      o.whitelisted_accounts = withMember(o.whitelisted_accounts, listed.id, isWhite);
      o.blacklisted_accounts = withMember(o.blacklisted_accounts, listed.id, isBlack);
    });
    return VOID_RESULT;
  },
});
