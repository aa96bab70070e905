import { tableContent } from '../contract-start.js';
import { COST } from '../cost.js';
import type { FunctionType, WasmModule } from '../wasm/module.js';
import { type DecodedFunction, decodeFunction } from './decode.js';

/** What all instances of an interpreted contract share. */
export class Program {
  readonly module: WasmModule;
  /** What the interpreter takes for each instruction that compiled code would have counted. */
  readonly instructionPrice: number;
  readonly importTypes: readonly FunctionType[];
  /** Functions by their place in the table. */
  readonly table: readonly (number | undefined)[];
  readonly tableSize: number;
  /** Places of it that something stands in. */
  readonly tableEntries: number;
  private readonly bodies: (DecodedFunction | undefined)[];
  /** The same number for types that are the same. */
  private readonly typeKeys: readonly number[];

  constructor(module: WasmModule, instructionPrice: number = COST.interpreted) {
    this.module = module;
    this.instructionPrice = instructionPrice;
    const { types, functionImports, functionTypes } = module;
    this.importTypes = functionImports.map((_, index) => types[functionTypes[index] as number] as FunctionType);
    const table: (number | undefined)[] = [];
    const content = tableContent(module);
    for (const [slot, index] of content) table[slot] = index;
    this.table = table;
    this.tableEntries = content.length;
    this.tableSize = module.tables[0]?.min ?? 0;
    this.bodies = new Array(module.bodies.length);
    const keys = new Map<string, number>();
    this.typeKeys = types.map(({ parameters, result }, index) => {
      const text = `${parameters} ${result}`;
      if (!keys.has(text)) keys.set(text, index);
      return keys.get(text) as number;
    });
  }

  /** Decoded when it is called for the first time. */
  body(index: number): DecodedFunction {
    let body = this.bodies[index];
    if (body === undefined) {
      body = decodeFunction(this.module, index);
      this.bodies[index] = body;
    }
    return body;
  }

  typeKey(typeIndex: number): number {
    return this.typeKeys[typeIndex] as number;
  }

  functionTypeKey(index: number): number {
    return this.typeKey(this.module.functionTypes[index] as number);
  }
}
