import { KEPT_FIELD, MEMO_FIELD, NUMBER_FIELD, operationFields, TEXT_FIELD } from './fields.js';
import { readersPattern } from './names.js';

/** A higher one replaces that of an earlier version; an operator who changes the template gives it a number above. */
export const TEMPLATE_VERSION = 1;

/** More names than all operations have. Beyond it fields are kept and cannot be searched. */
const FIELDS_MAX = 4000;

/**
 * Ids can be searched as they are and, as where types were guessed, under `<field>.keyword`.
 */
const id = { type: 'keyword', fields: { keyword: { type: 'keyword' } } } as const;
const number = { type: 'long' } as const;
const properties = () => ({
  account_history: {
    properties: { id, account: id, operation_id: id, sequence: number, next: id },
  },
  operation_history: {
    properties: {
      trx_in_block: number,
      op_in_trx: number,
      operation_result: KEPT_FIELD,
      virtual_op: number,
      op: KEPT_FIELD,
      op_object: { dynamic: true, properties: operationFields() },
    },
  },
  operation_type: number,
  operation_id_num: number,
  block_data: { properties: { block_num: number, block_time: { type: 'date' }, trx_id: id } },
});

/** For fields that no declaration tells of, by how a value looks. */
const dynamic_templates = [
  { memo: { match: 'memo_', mapping: MEMO_FIELD } },
  { lists: { match: '*_str', unmatch: ['amount_str'], match_mapping_type: 'string', mapping: KEPT_FIELD } },
  { amounts: { match: ['amount', 'amount_str'], mapping: NUMBER_FIELD } },
  { texts: { match_mapping_type: 'string', mapping: TEXT_FIELD } },
  { numbers: { match_mapping_type: 'long', mapping: NUMBER_FIELD } },
  { fractions: { match_mapping_type: 'double', mapping: { type: 'double', ignore_malformed: true } } },
] as const;

export interface Copies {
  readonly shards: number;
  readonly replicas: number;
}

export const templateName = (prefix: string): string => `trustnode-${prefix}`;

/** For the index of each month. */
export function indexTemplate(prefix: string, { shards, replicas }: Copies) {
  return {
    index_patterns: [readersPattern(prefix)],
    version: TEMPLATE_VERSION,
    priority: 100,
    template: {
      settings: {
        number_of_shards: shards,
        number_of_replicas: replicas,
        'mapping.total_fields.limit': FIELDS_MAX,
        'mapping.total_fields.ignore_dynamic_beyond_limit': true,
        'mapping.ignore_malformed': true,
      },
      mappings: { date_detection: false, numeric_detection: false, dynamic_templates, properties: properties() },
    },
  };
}

/** The plugin's own notes are read by their id alone. */
export function stateIndex({ replicas }: Copies) {
  return {
    settings: { number_of_shards: 1, number_of_replicas: replicas },
    mappings: { dynamic: false },
  };
}
