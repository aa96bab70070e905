/**
 * What the reference's decoder takes: how many elements a container may have, and how deep values may nest.
 *
 * A container decodes only while count × size of one element in the reference's memory stays below 10 MiB. Two builds of
 * the reference are in use. Elements that hold a string differ between them, because the form of strings in its
 * language's library has changed: `new` is that of every current compiler, `old` that of the published binaries.
 */
export type Build = 'new' | 'old';

const CONTAINER_BYTES_MAX = 10 * 1024 * 1024 - 1;

const both = (size: number): readonly [newSize: number, oldSize: number] => [size, size];

/** Bytes of one element, new and old, by the name of its type. The entries of maps are the sums of key and value. */
const ELEMENT_SIZES: Readonly<Record<string, readonly [newSize: number, oldSize: number]>> = {
  operation: [472, 448],
  op_wrapper: [472, 448],
  operation_result: both(56),
  processed_transaction: both(136),
  future_extensions: both(80),
  fee_parameters: both(40),
  account_receipt: both(32),
  vote_id: both(4),
  account_id: both(8),
  asset_id: both(8),
  league_data_product_id: both(8),
  'account_id,uint16': both(10),
  'public_key,uint16': both(35),
  'address,uint16': both(22),
  predicate: [48, 32],
  blind_input: both(120),
  blind_output: both(264),
  schema_context: [64, 16],
  'pair<string,lock_balance_params>': [48, 24],
  'pair<string,staking_params>': [48, 24],
  type_def: [64, 16],
  field_def: [64, 16],
  struct_def: [88, 40],
  action_def: [48, 24],
  table_def: [120, 72],
  error_message: [40, 16],
  'pair<uint16,bytes>': both(32),
  // Messages between peers.
  item_hash: both(20),
  address_info: both(72),
  current_connection_data: both(88),
  generic_variant: both(16),
  // Scalars, most of them in arguments and rows of contracts only.
  bool: both(1),
  int8: both(1),
  uint8: both(1),
  int16: both(2),
  uint16: both(2),
  int32: both(4),
  uint32: both(4),
  float32: both(4),
  time_point_sec: both(4),
  int64: both(8),
  uint64: both(8),
  float64: both(8),
  time_point: both(8),
  name: both(8),
  symbol: both(8),
  symbol_code: both(8),
  contract_asset: both(16),
  checksum160: both(20),
  block_id_type: both(20),
  bytes: both(24),
  checksum256: both(32),
  string: [32, 8],
  public_key: both(33),
  checksum512: both(64),
  signature: both(65),
};

/**
 * The most elements by each column: new build, old build, what both take, and no bound but the input's end, for what
 * this node has written itself.
 */
export type Bounds = readonly [number, number, number, number];

/** A small integer for the engine, far beyond what any input holds. */
const UNBOUNDED = 2 ** 30 - 1;

function boundsOfSize([newSize, oldSize]: readonly [number, number]): Bounds {
  const [byNew, byOld] = [Math.floor(CONTAINER_BYTES_MAX / newSize), Math.floor(CONTAINER_BYTES_MAX / oldSize)];
  return [byNew, byOld, Math.min(byNew, byOld), UNBOUNDED];
}

/** Strings and bytes: their length counts in bytes. */
export const BYTE_BOUNDS: Bounds = boundsOfSize(both(1));
export const NO_BOUNDS: Bounds = [UNBOUNDED, UNBOUNDED, UNBOUNDED, UNBOUNDED];

/** For types that no peer ever sends, such as those of state objects, there is no bound. */
export function boundsOf(element: string): Bounds {
  const size = Object.hasOwn(ELEMENT_SIZES, element) ? ELEMENT_SIZES[element] : undefined;
  return size === undefined ? NO_BOUNDS : boundsOfSize(size);
}

/**
 * Nesting takes from a budget, and each kind of value needs some of it to be read at all. Fixed arrays, hashes, keys,
 * names of time and variable-length integers need none.
 */
export const DEPTH_COST = {
  struct: 4,
  object_id: 4,
  variant: 2,
  extension: 2,
  /** Vectors, sets, maps. */
  list: 1,
  pair: 1,
  optional: 1,
  /** The wrappers around amounts and around the fee schedule. */
  wrapper: 1,
} as const;
export const DEPTH_NEED = { integer: 2, bool: 3, string: 2, bytes: 1 } as const;

const MESSAGE_DEPTH = 1000;
/** A block stands inside of its message; read from a file it has a little more left. */
const BLOCK_IN_MESSAGE_DEPTH = MESSAGE_DEPTH - DEPTH_COST.struct;
/** A transaction of a block: the block's struct and its list are around it. */
const TRANSACTION_IN_BLOCK_DEPTH = BLOCK_IN_MESSAGE_DEPTH - DEPTH_COST.struct - DEPTH_COST.list;
/** What keys, names and presence flags cost is not known to the last unit; nothing of ours depends on it. */
const DEPTH_RESERVE = 4;

/** Chosen once per reader. */
export interface DecodeRules {
  /** Place in `Bounds`. */
  readonly column: 0 | 1 | 2 | 3;
  readonly depth: number;
  /** What is read is kept for long and never changed in place: values that are alike may be one. */
  readonly shares?: boolean;
}

const COLUMNS = { new: 0, old: 1 } as const;

/** A whole message between peers. */
export const messageRules = (build: Build): DecodeRules => ({ column: COLUMNS[build], depth: MESSAGE_DEPTH });

/** A transaction that others have put into a block. */
export const blockTransactionRules = (build: Build): DecodeRules => ({
  column: COLUMNS[build],
  depth: TRANSACTION_IN_BLOCK_DEPTH,
});

/** A transaction that this node takes in itself and may put into a block: any build has to be able to decode it. */
export const OWN_TRANSACTION_RULES: DecodeRules = { column: 2, depth: TRANSACTION_IN_BLOCK_DEPTH - DEPTH_RESERVE };

/** What this node has written itself, and what is judged later. */
export const TRUSTED_RULES: DecodeRules = { column: 3, depth: UNBOUNDED };
/** For the objects of the state, of which there are millions. */
export const LASTING_RULES: DecodeRules = { ...TRUSTED_RULES, shares: true };

/** Where nobody says which network the bytes are of. */
export const USUAL_RULES: DecodeRules = messageRules('new');
