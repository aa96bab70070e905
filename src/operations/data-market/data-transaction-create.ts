import { check, defineErrors, FAMILY } from '../../base/errors.js';
import { unpackObjectId } from '../../protocol/ids.js';
import { dataTransactionCreateOperation } from '../../protocol/operations/data-market.js';
import { dataTransactionObject, freeDataProductObject, leagueObject } from '../../state/objects/data-market.js';
import { createdResult } from '../created.js';
import { defineOperation } from '../define.js';
import {
  checkProductExists,
  findRequest,
  hasSchemaFlag,
  isRequestIdTooLong,
  REQUEST_STATUS,
  unansweredBy,
} from './products.js';
import { checkMerchant } from './roles.js';

export const DATA_TRANSACTION_CREATE_ERRORS = defineErrors({
  request_id_too_long: {
    text: 'op.request_id.size() < max_size_request_id: request_id ${r} too long, must <= 100',
  },
  request_id_used: { text: 'maybe_found == data_transaction_idx.end(): request_id already exists!' },
  product_missing: { text: '_db.find_object(op.product_id): product id not found, product_id ${p}' },
  request_league_missing: { ...FAMILY.unspecified, text: 'league_id not found' },
  requester_not_in_league: { text: 'iter != obj->members.end(): requester ${r} is not league member!' },
});

/** A merchant asks for data; the data sources of the product or of the league are to deliver it. */
export const dataTransactionCreate = defineOperation({
  ...dataTransactionCreateOperation,
  payer: (op) => op.requester,
  validate() {},
  evaluate(s, op) {
    checkMerchant(s, op.requester);
    check(!isRequestIdTooLong(op.request_id), DATA_TRANSACTION_CREATE_ERRORS.request_id_too_long, { r: op.request_id });
    check(findRequest(s, op.request_id) === undefined, DATA_TRANSACTION_CREATE_ERRORS.request_id_used);
    checkProductExists(s, op.product_id, DATA_TRANSACTION_CREATE_ERRORS.product_missing);
    if (op.league_id === undefined) return undefined;
    const league = s.find(leagueObject, op.league_id);
    check(league !== undefined, DATA_TRANSACTION_CREATE_ERRORS.request_league_missing);
    const isMember = league.members.includes(op.requester);
    check(isMember, DATA_TRANSACTION_CREATE_ERRORS.requester_not_in_league, () => ({ r: `1.2.${op.requester}` }));
    return league;
  },
  apply(s, op, league) {
    const isPrivate = hasSchemaFlag(s, op.product_id, op.version, 'privacy', 'all');
    // Quirk: without a league the product is looked up among the free ones by its instance number, whatever its type.
    const sources = league?.members ?? [
      s.get(freeDataProductObject, unpackObjectId(op.product_id).instance).datasource,
    ];
    const created = s.create(dataTransactionObject, {
      request_id: op.request_id,
      product_id: op.product_id,
      version: op.version,
      params: op.params,
      status: isPrivate ? REQUEST_STATUS.initial : REQUEST_STATUS.confirmed,
      create_date_time: op.create_date_time,
      requester: op.requester,
      league_id: op.league_id,
      memo: '',
      datasources_status: unansweredBy(sources),
      product_pay: 0n,
      transaction_fee: 0n,
      commission: 0n,
    });
    return createdResult(dataTransactionObject, created.id);
  },
});
