import { check, type ErrorRow, fail } from '../../base/errors.js';
import type { AbiDef, AbiStructDef } from '../../protocol/abi.js';
import { nameToText } from '../../protocol/name.js';
import type { BuiltinType } from './builtin-types.js';
import { ABI_ERRORS } from './errors.js';

export type TypeForm = 'plain' | 'array' | 'optional';

export function formOf(type: string): TypeForm {
  return type.endsWith('[]') ? 'array' : type.endsWith('?') ? 'optional' : 'plain';
}

/** Without the suffix. There is one suffix only: `T[][]` leaves `T[]`, which is no type of its own. */
export function elementOf(type: string): string {
  const form = formOf(type);
  return form === 'array' ? type.slice(0, -2) : form === 'optional' ? type.slice(0, -1) : type;
}

/** Names stay numbers: a hundred thousand of them take a second to spell. */
function once(seen: Set<string>, kind: string, one: bigint, spell: (one: bigint) => string): void {
  const key = `${kind} ${one}`;
  check(!seen.has(key), ABI_ERRORS.abi_duplicate, () => ({ kind, name: spell(one) }));
  seen.add(key);
}

/** All names of an ABI, checked by the rules for an ABI that is used (never at deployment). */
export class TypeTable {
  private readonly builtins: ReadonlyMap<string, BuiltinType>;
  /** An alias stands for something known before it, so there are no circles. */
  private readonly aliases = new Map<string, string>();
  private readonly structs = new Map<string, AbiStructDef>();
  /** Structs and aliases of structs whose line of bases ends. */
  private readonly rooted = new Set<string>();

  constructor(abi: AbiDef, builtins: ReadonlyMap<string, BuiltinType>) {
    this.builtins = builtins;
    for (const definition of abi.structs) {
      const { name } = definition;
      check(!this.structs.has(name), ABI_ERRORS.abi_duplicate, () => ({ kind: 'struct', name }));
      this.structs.set(name, definition);
    }
    for (const { new_type_name: name, type } of abi.types) {
      check(this.isType(type), ABI_ERRORS.abi_type_unknown, { type });
      check(!this.isType(name), ABI_ERRORS.abi_type_exists, { type: name });
      // What it stands for in the end: anybody may deploy a chain of aliases that takes long to follow again and again.
      this.aliases.set(name, this.resolve(type));
    }
    for (const definition of abi.structs) this.checkStruct(definition);
    this.checkNames(abi);
  }

  private checkNames(abi: AbiDef): void {
    const seen = new Set<string>();
    for (const { name, type } of abi.actions) {
      once(seen, 'action', name, nameToText);
      this.known(type);
    }
    for (const { name, type } of abi.tables) {
      once(seen, 'table', name, nameToText);
      this.known(type);
    }
    for (const { error_code: code } of abi.error_messages) once(seen, 'error message', code, String);
  }

  private checkStruct({ name, base, fields }: AbiStructDef): void {
    const seen = new Set([name]);
    // Each line of ancestors is walked once, however many structs share it.
    for (let ancestor = base; ancestor !== '' && !this.rooted.has(ancestor); ) {
      check(!seen.has(ancestor), ABI_ERRORS.abi_struct_circular, { type: name });
      seen.add(ancestor);
      ancestor = this.struct(this.resolve(ancestor), ABI_ERRORS.abi_type_unknown).base;
    }
    for (const one of seen) this.rooted.add(one);
    for (const { type } of fields) this.known(type);
  }

  private known(type: string): void {
    check(this.isType(type), ABI_ERRORS.abi_type_unknown, { type });
  }

  isType(type: string): boolean {
    const element = elementOf(type);
    return this.builtins.has(element) || this.aliases.has(element) || this.structs.has(element);
  }

  /** What the whole type, suffix included, is an alias of. */
  resolve(type: string): string {
    return this.aliases.get(type) ?? type;
  }

  builtin(type: string): BuiltinType | undefined {
    return this.builtins.get(type);
  }

  struct(type: string, row: ErrorRow = ABI_ERRORS.abi_struct_unknown): AbiStructDef {
    return this.structs.get(type) ?? fail(row, { type });
  }
}
