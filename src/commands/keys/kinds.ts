/** What `keys decode` and `keys encode` know. */
export const BINARY_KINDS = [
  'transaction',
  'unsigned-transaction',
  'processed-transaction',
  'block',
  'operation',
] as const;

export type BinaryKind = (typeof BINARY_KINDS)[number];
