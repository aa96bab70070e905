import { check, defineErrors } from '../../base/errors.js';
import { parseJson } from '../../codec/json.js';
import { encodeText } from '../../codec/text.js';
import { PROTOCOL_TYPES, unpackObjectId } from '../../protocol/ids.js';
import type { SchemaContext } from '../../protocol/schema-context.js';
import {
  type DataTransactionObject,
  dataTransactionObject,
  freeDataProductObject,
  type LeagueObject,
  leagueDataProductObject,
} from '../../state/objects/data-market.js';
import { OBJECTS } from '../../state/objects/index.js';
import type { ReadState } from '../../state/views.js';

/** What the operations of the data market look up in common. */

export const DATA_MARKET_ERRORS = defineErrors({
  product_missing: { text: 'product: product ${id} does not exist' },
  request_missing: { text: 'maybe_found != data_transaction_idx.end(): request_id not exists!' },
});

/** Status of categories, products and leagues after their creation. */
export const STATUS_INITIAL = 0;
export const REQUEST_STATUS = { initial: 0, confirmed: 1, rejected: 99 } as const;
export const DATASOURCE_STATUS = { initial: 0, uploaded: 1, paid: 2, error: 99 } as const;
export const REQUEST_ID_BYTES_END = 100;

const FREE_PRODUCT = PROTOCOL_TYPES.indexOf('free_data_product');
const LEAGUE_PRODUCT = PROTOCOL_TYPES.indexOf('league_data_product');

/** A request may name an object of any type as its product; it only has to exist. */
export function checkProductExists(s: ReadState, product: bigint): void {
  const { space, type, instance } = unpackObjectId(product);
  const definition = OBJECTS.find((object) => object.space === space && object.type === type);
  const exists = definition !== undefined && s.find(definition, instance) !== undefined;
  check(exists, DATA_MARKET_ERRORS.product_missing, { id: `${space}.${type}.${instance}` });
}

/** Products of other types have no schema contexts. */
function schemaContexts(s: ReadState, product: bigint): readonly SchemaContext[] {
  const { space, type, instance } = unpackObjectId(product);
  if (space !== 1) return [];
  if (type === FREE_PRODUCT) return s.find(freeDataProductObject, instance)?.schema_contexts ?? [];
  if (type === LEAGUE_PRODUCT) return s.find(leagueDataProductObject, instance)?.schema_contexts ?? [];
  return [];
}

/** Is the flag `true` or `"true"` in the JSON text of this version? Text that is not JSON refuses the operation. */
export function hasSchemaFlag(s: ReadState, product: bigint, version: string, flag: string): boolean {
  return schemaContexts(s, product).some((context) => {
    if (context.version !== version) return false;
    const json = parseJson(context.schema_context, 'reference');
    if (json === null || typeof json !== 'object' || Array.isArray(json)) return false;
    return json[flag] === true || json[flag] === 'true';
  });
}

export function findRequest(s: ReadState, requestId: string): Readonly<DataTransactionObject> | undefined {
  return s.findBy(dataTransactionObject.by.requestId, requestId);
}

export function getRequest(s: ReadState, requestId: string): Readonly<DataTransactionObject> {
  const request = findRequest(s, requestId);
  check(request !== undefined, DATA_MARKET_ERRORS.request_missing);
  return request;
}

export function isRequestIdTooLong(requestId: string): boolean {
  return encodeText(requestId).length >= REQUEST_ID_BYTES_END;
}

/** Place of a product in its league, -1 when it is not listed. Only the instance number counts. */
export function productIndex(league: Readonly<LeagueObject>, product: bigint): number {
  return league.data_products.indexOf(unpackObjectId(product).instance);
}

/** The list with the status of every entry of this data source replaced. */
export function withStatus(
  request: Readonly<DataTransactionObject>,
  datasource: number,
  status: number,
): DataTransactionObject['datasources_status'] {
  return request.datasources_status.map((entry) => (entry.datasource === datasource ? { ...entry, status } : entry));
}
