import { text } from '../codec/scalars.js';
import { struct } from '../codec/struct.js';
import type { ValueOf } from '../codec/type.js';

/** One version of a data product's description: JSON text, of which the chain reads two flags. */
export const schemaContext = struct('schema_context', { version: text, schema_context: text });
export type SchemaContext = ValueOf<typeof schemaContext>;
