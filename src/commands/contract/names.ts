import { ByteReader } from '../../vm/wasm/byte-reader.js';
import type { WasmModule } from '../../vm/wasm/module.js';

const HEADER_BYTES = 8;
const CUSTOM_SECTION = 0;
const FUNCTION_NAMES = 1;

export interface CustomSection {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Sections that mean nothing to the chain, of a module that has been parsed. */
export function customSections(bytes: Uint8Array): CustomSection[] {
  const sections: CustomSection[] = [];
  const reader = new ByteReader(bytes, HEADER_BYTES);
  while (reader.at < bytes.length) {
    const id = reader.u8();
    const size = reader.u32();
    const end = reader.at + size;
    if (id === CUSTOM_SECTION) {
      const name = reader.name();
      sections.push({ name, start: reader.at, end });
    }
    reader.at = end;
  }
  return sections;
}

/** Names of functions by index: what the compiler left in the `name` section, else those of imports and exports. */
export function functionNames(module: WasmModule): (index: number) => string {
  const names = new Map<number, string>();
  module.functionImports.forEach(({ name }, index) => {
    names.set(index, name);
  });
  for (const { name, kind, index } of module.exports) if (kind === 'function') names.set(index, name);
  const section = customSections(module.bytes).find(({ name }) => name === 'name');
  if (section !== undefined) {
    try {
      readNames(new ByteReader(module.bytes, section.start, section.end), names);
    } catch {
      // The section is for people only; a broken one is as good as none.
    }
  }
  return (index) => names.get(index) ?? `function ${index}`;
}

function readNames(reader: ByteReader, names: Map<number, string>): void {
  while (reader.at < reader.end) {
    const kind = reader.u8();
    const size = reader.u32();
    const end = reader.at + size;
    if (kind === FUNCTION_NAMES) {
      for (let left = reader.u32(); left > 0; left--) {
        const index = reader.u32();
        names.set(index, reader.name());
      }
    }
    reader.at = end;
  }
}
