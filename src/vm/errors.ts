import { defineErrors } from '../base/errors.js';

/** Wire numbers, names and titles of the contract engine's error classes. */
const EXECUTION = { code: 3070002, name: 'wasm_execution_error', title: 'Runtime Error Processing WASM' } as const;
const SERIALIZATION = {
  code: 3070003,
  name: 'wasm_serialization_error',
  title: 'Serialization Error Processing WASM',
} as const;
const INTERPRETER = { code: 3070020, name: 'wabt_execution_error', title: 'Runtime Error Processing WABT' } as const;

/** A module that cannot be read or does not type-check. */
export const WASM_ERRORS = defineErrors({
  wasm_end_of_stream: { ...SERIALIZATION, text: 'expected data but found end of stream' },
  wasm_malformed: { ...SERIALIZATION, text: '${what} at byte ${at}' },
  wasm_type_mismatch: { ...SERIALIZATION, text: 'type mismatch in function ${function}: ${what} at byte ${at}' },
  wasm_array_size: {
    ...SERIALIZATION,
    text: 'Trying to deserialize array of size : ${size}, which is over by ${over} bytes',
  },
  wasm_string_size: {
    ...SERIALIZATION,
    text: 'Trying to deserialize string of size : ${size}, which is over by ${over} bytes',
  },
  wasm_custom_size: {
    ...SERIALIZATION,
    text: 'Trying to deserialize bytes of size : ${size}, which is over by ${over} bytes',
  },
  wasm_body_size: { ...SERIALIZATION, text: 'Function body too large' },
  wasm_function_imports: { ...SERIALIZATION, text: 'Too many function imports' },
  wasm_function_definitions: { ...SERIALIZATION, text: 'Too many function defs' },
  wasm_local_sets: { ...SERIALIZATION, text: 'too many local sets' },
  wasm_locals: { ...SERIALIZATION, text: 'too many locals' },
});

/** A module that is well-formed and yet refused at deployment. */
export const DEPLOY_ERRORS = defineErrors({
  wasm_stack_usage: {
    ...EXECUTION,
    text: 'Smart contract function has more than ${limit} bytes of stack usage',
  },
  wasm_memory_size: {
    ...EXECUTION,
    text: 'Smart contract initial memory size must be less than or equal to ${limit}KiB',
  },
  wasm_data_base: { ...EXECUTION, text: 'Smart contract has unexpected memory base offset type' },
  wasm_data_range: { ...EXECUTION, text: 'Smart contract data segments must lie in first ${limit}KiB' },
  wasm_table_size: { ...EXECUTION, text: 'Smart contract table limited to ${limit} elements' },
  wasm_mutable_globals: { ...EXECUTION, text: 'Smart contract has more than ${limit} bytes of mutable globals' },
  wasm_memory_offset: { ...EXECUTION, text: 'Smart contract used an invalid large memory store/load offset' },
  wasm_nesting: { ...EXECUTION, text: 'Nested depth exceeded' },
  wasm_apply_missing: {
    ...EXECUTION,
    text: "Smart contract's apply function not exported; non-existent; or wrong type",
  },
  wasm_import_refused: {
    text: '!"unresolvable": ${module}.${name}',
    hint: 'a contract can import only the functions of the module env, each with its own type, and not ${module}.${name}',
  },
});

/** A contract that fails while it runs. */
export const RUN_ERRORS = defineErrors({
  contract_trap: { ...INTERPRETER, text: 'wabt execution failure (${s})' },
  contract_trap_in_start: { ...INTERPRETER, text: 'wabt start function failure (${s})' },
  contract_elements_range: { ...INTERPRETER, text: 'Error building wabt interp: elem segment does not fit in table' },
  contract_import_unknown: { ...INTERPRETER, text: 'Error building wabt interp: unknown import ${module}.${name}' },
  contract_bodies_missing: { ...INTERPRETER, text: 'Error building wabt interp: functions without code' },
  contract_trailing_code: {
    ...INTERPRETER,
    text: 'Error building wabt interp: function body must end with END opcode',
  },
  contract_memory_bounds: {
    ...INTERPRETER,
    text: 'Error building wabt interp: memory of ${min} pages, at most ${max}',
  },
  contract_apply_missing: { ...INTERPRETER, text: 'wabt execution failure (unknown export)' },
  contract_apply_type: { ...INTERPRETER, text: 'wabt execution failure (argument type mismatch)' },
  contract_access_violation: { ...INTERPRETER, text: 'access violation' },
  contract_null_reference: { ...INTERPRETER, text: 'references cannot be created for null pointers' },
  contract_length_overflow: { ...INTERPRETER, text: 'length will overflow' },
  contract_returned_pointer: { ...INTERPRETER, text: 'returning pointer not in linear memory' },
  contract_unterminated_string: { ...EXECUTION, text: 'unterminated string' },
  contract_data_range: { ...EXECUTION, text: 'WASM data segment outside of valid memory range' },
  contract_call_depth: { ...EXECUTION, text: 'Exceeded call depth maximum' },
  contract_float_conversion: { ...EXECUTION, text: 'Error, ${operation} ${reason}' },
  /** Ours: more locals and operands than anybody pays for would need unbounded memory. */
  contract_stack_bytes: { ...EXECUTION, text: 'Exceeded call stack size of ${limit} bytes' },
  contract_time_exceeded: {
    code: 3080004,
    name: 'tx_cpu_usage_exceeded',
    title: 'transaction exceeded the current CPU usage limit imposed on the transaction',
    text: 'transaction was executing for too long',
  },
  /** Ours: the chain would have let it run longer, this node does not. */
  contract_own_time_exceeded: {
    kind: 'limit',
    code: 3080004,
    name: 'tx_cpu_usage_exceeded',
    title: 'transaction exceeded the current CPU usage limit imposed on the transaction',
    text: 'transaction was executing for too long',
    hint: 'this node lets a call run no longer than its option max-transaction-time says',
  },
});
