/** Every size, count and depth that the node sets itself, with its unit. Limits of the protocol stand with the protocol. */
export const LIMITS = {
  /** Nested values of a JSON text: arrays, objects, and a scalar inside of them. As many as the reference takes. */
  json_depth_max: 250,
  /** Characters of one value in the text of an error; what a client sent may be as long as its request. */
  error_value_chars_max: 1000,
  /** Digits of one JSON number. */
  json_number_chars_max: 400,
  /** Characters of one base58 text: its decoding costs the square of the length. */
  base58_chars_max: 512,
  /** Addresses of public keys kept ready for ordering and authority checks: in one half those of the fullest transaction. */
  key_address_cache_max: 131_072,
  /** Keys whose addresses of all forms are kept ready. */
  key_addresses_cache_max: 8192,
  /** Batches that wait in the signature pool before `recover` holds its caller back. */
  verify_queue_max: 256,
  /** Transactions whose signatures are being recovered or wait for it, and their bytes together. */
  intake_transactions_max: 20_000,
  intake_bytes_max: 64 * 1024 * 1024,
  /** Blocks that others have sent and the chain has not applied yet, and their bytes together. */
  import_blocks_max: 256,
  import_bytes_max: 64 * 1024 * 1024,
  /** Blocks of one number that the fork database keeps. */
  fork_siblings_max: 64,
  /** Side blocks in the fork database that no known witness key has signed. */
  fork_unvouched_max: 32,
  /** Blocks behind one that could not be taken for no fault of its own. */
  fork_waiting_max: 64,
  /** Transactions that wait for a block, and their bytes together. */
  pending_transactions_max: 300_000,
  pending_bytes_max: 64 * 1024 * 1024,
  /** Waiting transactions that fail when they are tried again after a block, before the others are put off. */
  pending_failures_max: 200,
  /** Commitments of one transaction that this node takes in, those in proposals counted: each takes as long as ten transfers. */
  pending_commitments_max: 128,
  /** Signatures inside of its operations, those of proxied transfers: each is recovered while everybody waits. */
  held_signatures_max: 500,
  /** Members of leagues that one transaction makes or changes: requests of sixty bytes each have a list of all of them. */
  pending_league_members_max: 1000,
  /**
   * Bytes of memos that contracts write into transfers of one transaction, and of all that wait for the next block: they
   * stand in no transaction, so the size of a block does not bound them.
   */
  contract_memo_bytes_max: 64 * 1024,
  /** Bytes of arguments that they send to each other in one transaction: what one call sends at most by default. */
  contract_argument_bytes_max: 256 * 1024,
  /** Memos and arguments together. */
  block_memo_bytes_max: 2 * 1024 * 1024,
  /** Operations of one transaction from an RPC client, those in proposals counted. */
  rpc_operations_max: 1000,
  /** Contract calls among them: each may run for as long as a block has time for one. */
  rpc_contract_calls_max: 10,
  /** Signatures of one transaction from an RPC client. */
  rpc_signatures_max: 1000,
  /** Keys that a question about authorities names. */
  rpc_keys_max: 1000,
  /** Bytes of one text in a request, about: those of the largest block in hex, and a little. */
  rpc_text_bytes_max: 4_300_000,
  /** Values in the arguments of a contract's action that a client wants packed. */
  rpc_action_parts_max: 20_000,
  /** Values in one row of a contract's table, which may have a megabyte: a client is shown it in one piece. */
  rpc_row_values_max: 20_000,
  /** Bugs that were logged and are not logged again. */
  told_bugs_max: 1000,
} as const;
