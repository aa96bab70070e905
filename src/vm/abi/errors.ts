import { defineErrors } from '../../base/errors.js';

export const ABI_ERRORS = defineErrors({
  abi_type_exists: { text: 'type already exists: ${type}' },
  abi_type_unknown: { text: 'Unknown type ${type}' },
  abi_struct_unknown: { text: 'Unknown struct ${type}' },
  abi_duplicate: { text: 'duplicate ${kind} definition ${name}' },
  abi_struct_circular: { text: 'Circular reference in struct ${type}' },
  abi_recursion: { text: 'recursive definition, max_recursion_depth ${limit}' },
  abi_member_missing: { text: "Missing '${name}' in variant object" },
  abi_not_array: { text: "expected an array for type '${type}'" },
  abi_not_object: { text: "unexpected input for struct '${type}'" },
  abi_array_with_base: {
    text: 'st.base == type_name(): support base class as array not yet implemented',
    hint: "struct '${type}' has a base and cannot be given as an array",
  },
  abi_unpack: { text: 'Unable to unpack stream ${type}' },
  abi_packed_size: { text: 'packed value is larger than ${limit} bytes' },
  abi_values: { kind: 'limit', text: 'the packed value holds more than ${limit} values' },
  abi_symbol: { text: 'invalid symbol ${text}' },
  abi_action_unknown: {
    code: 3070005,
    name: 'action_validate_exception',
    title: 'action exception',
    text: 'Unknown action ${action} in contract ${contract}',
  },
});
