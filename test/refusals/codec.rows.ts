import { BYTES_ERRORS, fromHex } from '../../src/base/bytes.js';
import { decode } from '../../src/codec/binary.js';
import { array, CONTAINER_ERRORS, optional, variant } from '../../src/codec/containers.js';
import { JSON_ERRORS, parseJson } from '../../src/codec/json.js';
import { READ_ERRORS } from '../../src/codec/reader.js';
import { bool, bytes, i64, SCALAR_ERRORS, text, time, u8, u32, u64, varint } from '../../src/codec/scalars.js';
import { extension, STRUCT_ERRORS, struct } from '../../src/codec/struct.js';
import { TIME_ERRORS } from '../../src/codec/time.js';
import '../../src/operations/index.js';
import { operation, operations } from '../../src/protocol/operation-slot.js';
import { NETWORK } from '../support/network.js';
import { assertion, type Refusal } from './define.js';

const hex = (digits: string): Uint8Array => fromHex(digits);
const shape = variant('shape', [u8, text]);
const extras = extension('extras', { first: u8, second: u8 });

const parseError = { code: 4, name: 'parse_error_exception' };
const badCast = { code: 7, name: 'bad_cast_exception' };
const outOfRange = { code: 8, name: 'out_of_range_exception' };
const unspecified = { code: 0, name: 'exception' };

/** Requests that cannot be understood. Words of the reference where clients meet them; bytes come from peers alone. */
const NO_VALUE = 'bad lexical cast: source type value could not be interpreted as target';

export const refusals: readonly Refusal[] = [
  // JSON
  {
    row: JSON_ERRORS.json_syntax,
    ...parseError,
    message: 'Parse Error: JSON: a member name expected at character 1',
    raise: () => parseJson('{'),
  },
  {
    row: JSON_ERRORS.json_too_deep,
    ...parseError,
    message: 'Parse Error: JSON: nested deeper than 250 levels',
    raise: () => parseJson('['.repeat(251)),
  },
  {
    row: JSON_ERRORS.json_number_length,
    ...parseError,
    message: 'Parse Error: JSON: number at character 0 is too long',
    raise: () => parseJson('1'.repeat(401)),
  },
  {
    row: SCALAR_ERRORS.json_integer,
    ...parseError,
    message: "Parse Error: Couldn't parse uint64_t",
    raise: () => u32.fromJson('x'),
  },
  {
    row: SCALAR_ERRORS.json_integer,
    ...parseError,
    message: "Parse Error: Couldn't parse int64_t",
    raise: () => i64.fromJson('9223372036854775808'),
  },
  {
    row: SCALAR_ERRORS.json_integer,
    ...parseError,
    message: "Parse Error: Couldn't parse uint64_t",
    raise: () => operation.fromJson(['transfer', {}], NETWORK),
  },
  {
    row: SCALAR_ERRORS.json_scalar,
    ...badCast,
    message: 'Bad Cast: Invalid cast from array_type to uint64',
    raise: () => operation.fromJson([[], {}], NETWORK),
  },
  {
    row: SCALAR_ERRORS.json_scalar,
    ...badCast,
    message: 'Bad Cast: Invalid cast from array_type to string',
    raise: () => text.fromJson([]),
  },
  {
    row: SCALAR_ERRORS.json_kind,
    ...badCast,
    message: "Bad Cast: Invalid cast from type 'uint64_type' to Object",
    raise: () => struct('thing', {}).fromJson(5),
  },
  {
    row: SCALAR_ERRORS.json_array,
    ...badCast,
    message: 'Bad Cast: Invalid cast from object_type to Array',
    raise: () => array(u8).fromJson({}),
  },
  {
    row: SCALAR_ERRORS.json_boolean,
    ...badCast,
    message: 'Bad Cast: Cannot convert string to bool (only "true" or "false" can be converted)',
    raise: () => bool.fromJson('1'),
  },
  {
    row: TIME_ERRORS.time_text,
    code: 13,
    name: 'std_exception',
    message: `${NO_VALUE}: ${NO_VALUE}: unable to convert ISO-formatted string to fc::time_point_sec`,
    raise: () => time.fromJson('tomorrow'),
  },
  {
    row: BYTES_ERRORS.hex_invalid,
    ...unspecified,
    message: "unspecified: Invalid hex character 'z'",
    raise: () => bytes.fromJson('zz'),
  },
  {
    row: BYTES_ERRORS.hex_length,
    ...unspecified,
    message: 'unspecified: hex text has an odd number of digits, 3',
    raise: () => fromHex('abc'),
  },
  assertion(CONTAINER_ERRORS.variant_tag, 'w < count(): ', () => operation.fromJson([99, {}], NETWORK)),
  assertion(STRUCT_ERRORS.extension_member, 'vtor.count_left == 0: ', () => extras.fromJson({ third: 1 })),
  // Bytes
  assertion(CONTAINER_ERRORS.variant_tag, 'w < count(): ', () => decode(shape, hex('02'))),
  assertion(STRUCT_ERRORS.extension_order, 'extension member 0 is unknown or out of order', () =>
    decode(extras, hex('020101000000')),
  ),
  {
    row: READ_ERRORS.read_past_end,
    ...outOfRange,
    message: 'Out of Range: input ends 5 byte(s) too early',
    raise: () => decode(u64, hex('000000')),
  },
  {
    row: READ_ERRORS.read_left_over,
    ...outOfRange,
    message: 'Out of Range: 2 byte(s) left over after the value',
    raise: () => decode(u8, hex('010203')),
  },
  {
    row: READ_ERRORS.read_varint,
    ...outOfRange,
    message: 'Out of Range: variable-length integer does not fit into 64 bits',
    raise: () => decode(varint, hex('ffffffffffffffffff02')),
  },
  {
    row: READ_ERRORS.read_bool,
    ...badCast,
    message: 'Bad Cast: a boolean must be 0 or 1, not 2',
    raise: () => decode(optional(u8), hex('0205')),
  },
  assertion(READ_ERRORS.read_too_long, 'length 22216 of vector<operation> is above the limit', () =>
    decode(operations, hex('c8ad01')),
  ),
  assertion(READ_ERRORS.read_too_deep, 'value is nested too deep', () =>
    decode(operations, hex('00'), 'refuse', { column: 0, depth: 0 }),
  ),
];
