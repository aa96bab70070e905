import { ChainError, check, defineErrors, type ErrorRow, fail } from '../../base/errors.js';
import { wrapU16 } from '../../base/int.js';
import { onceFor } from '../../base/once-for.js';
import { encodeText } from '../../codec/text.js';
import { type Instance, objectIdText, PROTOCOL_TYPES, unpackObjectId } from '../../protocol/ids.js';
import type { SchemaContext } from '../../protocol/objects/data-market.js';
import { isSchemaFlag } from '../../protocol/schema-json.js';
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
  product_type_unknown: { text: 'tmp: ', hint: 'there are no objects of the type ${type}' },
  product_space_unknown: {
    text: '_index[space_id].size() > type_id: ',
    hint: 'there are no objects in the space ${space}',
  },
  request_missing: { text: 'dto != data_transaction_idx.end(): ', hint: 'there is no request ${request_id}' },
});

/** Status of categories, products and leagues after their creation. */
export const STATUS_INITIAL = 0;
export const REQUEST_STATUS = { initial: 0, confirmed: 1, rejected: 99 } as const;
export const DATASOURCE_STATUS = { initial: 0, uploaded: 1, paid: 2, error: 99 } as const;
const REQUEST_ID_BYTES_END = 100;

const PROTOCOL_SPACE = 1;
const SPACES: ReadonlySet<number> = new Set(OBJECTS.map((definition) => definition.space));
const FREE_PRODUCT = PROTOCOL_TYPES.indexOf('free_data_product');
const LEAGUE_PRODUCT = PROTOCOL_TYPES.indexOf('league_data_product');

/** A request may name an object of any type as its product; it only has to exist. */
export function checkProductExists(s: ReadState, product: bigint, row: ErrorRow): void {
  const { space, type, instance } = unpackObjectId(product);
  check(SPACES.has(space), DATA_MARKET_ERRORS.product_space_unknown, { space });
  const definition = OBJECTS.find((object) => object.space === space && object.type === type);
  check(definition !== undefined, DATA_MARKET_ERRORS.product_type_unknown, () => ({ type: `${space}.${type}` }));
  check(s.find(definition, instance) !== undefined, row, () => ({ p: objectIdText(product) }));
}

/** Products of other types have no schema contexts. */
function schemaContexts(s: ReadState, product: bigint): readonly SchemaContext[] {
  const { space, type, instance } = unpackObjectId(product);
  if (space !== PROTOCOL_SPACE) return [];
  if (type === FREE_PRODUCT) return s.find(freeDataProductObject, instance)?.schema_contexts ?? [];
  if (type === LEAGUE_PRODUCT) return s.find(leagueDataProductObject, instance)?.schema_contexts ?? [];
  return [];
}

type Reading = 'all' | 'until_set';
/** What texts have said: whether the flag is set, or why they are refused. */
type Answer = boolean | Pick<ChainError, 'row' | 'data'>;

/** The texts of one version, with what was asked of them. */
interface Version {
  readonly texts: SchemaContext[];
  readonly answers: Map<string, Answer>;
}

/**
 * By version, for as long as there are the lists. They may be as long as a block, and each of thousands of requests for
 * one product asks the same.
 */
const versionsOf = onceFor((contexts: readonly SchemaContext[]): ReadonlyMap<string, Version> => {
  const found = new Map<string, Version>();
  for (const context of contexts) {
    const { version } = context;
    const same = found.get(version);
    if (same === undefined) found.set(version, { texts: [context], answers: new Map() });
    else same.texts.push(context);
  }
  return found;
});

function readTexts(texts: readonly SchemaContext[], flag: string, reading: Reading): Answer {
  let isSet = false;
  try {
    for (const { schema_context } of texts) {
      if (isSchemaFlag(schema_context, flag)) isSet = true;
      if (isSet && reading === 'until_set') break;
    }
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return { row: error.row, data: error.data };
  }
  return isSet;
}

function answerOf({ texts, answers }: Version, flag: string, reading: Reading): Answer {
  const question = `${reading} ${flag}`;
  const known = answers.get(question);
  if (known !== undefined) return known;
  const answer = readTexts(texts, flag, reading);
  answers.set(question, answer);
  return answer;
}

/**
 * Does one of the texts of this version set the flag? A text that is not JSON refuses the operation, if it is read:
 * `all` reads every text of the version, `until_set` none behind the first that sets the flag.
 */
export function hasSchemaFlag(s: ReadState, product: bigint, version: string, flag: string, reading: Reading): boolean {
  const described = versionsOf(schemaContexts(s, product)).get(version);
  if (described === undefined) return false;
  const answer = answerOf(described, flag, reading);
  return typeof answer === 'boolean' ? answer : fail(answer.row, answer.data);
}

export function findRequest(s: ReadState, requestId: string): Readonly<DataTransactionObject> | undefined {
  return s.findBy(dataTransactionObject.by.requestId, requestId);
}

/** Each operation says in words of its own that there is none. */
export function getRequest(s: ReadState, requestId: string, row: ErrorRow): Readonly<DataTransactionObject> {
  const request = findRequest(s, requestId);
  check(request !== undefined, row, { request_id: requestId });
  return request;
}

export function isRequestIdTooLong(requestId: string): boolean {
  return encodeText(requestId).length >= REQUEST_ID_BYTES_END;
}

/**
 * Place of a product in its league; the length of the list where it is not listed. Only products of leagues ever are.
 * Quirk: the place has 16 bits, that of what is not listed too.
 */
export function productPlace(league: Readonly<LeagueObject>, product: bigint): number {
  const { space, type, instance } = unpackObjectId(product);
  const isLeagueProduct = space === PROTOCOL_SPACE && type === LEAGUE_PRODUCT;
  const found = isLeagueProduct ? league.data_products.indexOf(instance) : -1;
  return wrapU16(found >= 0 ? found : league.data_products.length);
}

type Statuses = DataTransactionObject['datasources_status'];

/**
 * Of requests that nobody has answered yet, by whom they go to. A league may have a million members, and requests to one
 * are as many as one likes: a list for each of them would fill the memory. No list is ever changed in place.
 */
export const unansweredBy = onceFor(
  (sources: readonly Instance[]): Statuses =>
    sources.map((datasource) => ({ datasource, status: DATASOURCE_STATUS.initial })),
);

/** The list with the status of every entry of this data source replaced. */
export function withStatus(request: Readonly<DataTransactionObject>, datasource: Instance, status: number): Statuses {
  const { datasources_status } = request;
  if (!datasources_status.some((entry) => entry.datasource === datasource)) return datasources_status;
  const answered = { datasource, status };
  return datasources_status.map((entry) => (entry.datasource === datasource ? answered : entry));
}
