/** Bounds of contract modules and their execution; those of the reference first, then our own. */
export const VM_LIMITS = {
  /** Entries of a vector, bytes of a name: refused when equal or more. */
  vector_entries_end: 8192,
  string_bytes_end: 8192,
  /** Payload of a custom section behind its name: refused when equal or more. */
  custom_bytes_end: 64 * 1024,
  functions_end: 1024,
  function_imports_end: 1024,
  body_bytes_end: 20 * 1024 * 1024,
  local_groups_end: 1024,
  locals_max: 8192 / 4,
  frame_bytes_max: 8192,
  memory_pages_max: 528,
  data_end_max: 64 * 1024,
  table_elements_max: 1024,
  mutable_global_bytes_max: 1024,
  memory_offset_end: 528 * 64 * 1024,
  nesting_end: 1024,
  /** Nested calls of one action, calls of host functions included. */
  call_depth_max: 250,

  /**
   * Native stack that the frames of one action may take by our estimate. It lets 250 frames with the largest allowed
   * locals pass, and a contract with wider ones is interpreted; the process must run with at least
   * `native_stack_bytes_min` (see `checkNativeStack`).
   */
  frame_stack_bytes_max: 5 * 1024 * 1024,
  native_stack_bytes_min: 6 * 1024 * 1024,
  /** Parameters of a function that is compiled: V8 takes no more. */
  parameters_max: 1000,
  /**
   * Locals and operands of all frames of an interpreted action, 128 MiB. The reference has no such bound, but whoever
   * wants to get there has to push more of them than its time for a call is enough for.
   */
  values_max: 16 * 1024 * 1024,
  /**
   * Compile steps (`cost.ts`) of a contract that is compiled, and so many more for each byte of code. Compilers make
   * three for each byte. A hundred million take two seconds, and 400 MB if one function has them.
   */
  compile_steps_max: 1_000_000,
  compile_steps_max_per_byte: 100,
  /**
   * Compiled modules kept, by code hash: their summed bytes of contract code, and so many more for each. A kept module
   * takes about three times that. Nobody pays for compiling, 150 ms for 2 MB, with the compact form of the meter up to
   * 800, and 0.5 ms for the smallest: filling this must cost an attacker more in fees for deployment than it is worth.
   */
  module_cache_bytes_max: 128 * 1024 * 1024,
  module_entry_bytes: 12 * 1024,
  /**
   * Above this a function of a rewritten module has the compact form of the meter. The compiler takes bodies of up to
   * 7,654,321 bytes; the compact form of 2 MiB is below that, whatever they are.
   */
  fast_body_bytes_max: 6_000_000,
  /** An instance with no more memory than this is cleared and used again, which is faster than a new one. */
  reused_memory_bytes_max: 4 * 65_536,
  /**
   * Instances that wait to be used again. The engine sets 10 GB of addresses aside for each, and there are systems with
   * 512 GB of them for a process, or less.
   */
  idle_instances_max: 16,
  /** Bytes of what is printed that are kept per call, and of what a contract asserts with; the rest is cut. */
  console_bytes_max: 64 * 1024,
} as const;

export const WASM_PAGE_BYTES = 65_536;

/** Pages that a contract's memory may have, whatever it declares. */
export function memoryPagesMax({ max }: { readonly max: number | undefined }): number {
  return Math.min(max ?? VM_LIMITS.memory_pages_max, VM_LIMITS.memory_pages_max);
}

/**
 * The one conversion between metered instructions and the microseconds of the chain's parameters and receipts.
 * The figure is near what the reference's interpreter does per microsecond, so limits given in microseconds
 * let about the same contracts pass.
 */
export const INSTRUCTIONS_PER_MICROSECOND = 200n;

/** Enough for any block whose calls carry a billed time: their limit is one day by the reference. */
export const INSTRUCTIONS_UNLIMITED = 86_400_000_000n * INSTRUCTIONS_PER_MICROSECOND;

export function instructionsFromMicroseconds(microseconds: number): bigint {
  return BigInt(microseconds) * INSTRUCTIONS_PER_MICROSECOND;
}

/** Rounded up and never 0: a billed time of 0 means "not measured yet" on the chain. */
export function microsecondsFromInstructions(instructions: bigint): number {
  const microseconds = (instructions + INSTRUCTIONS_PER_MICROSECOND - 1n) / INSTRUCTIONS_PER_MICROSECOND;
  return microseconds < 1n ? 1 : microseconds > 0xffffffffn ? 0xffffffff : Number(microseconds);
}
