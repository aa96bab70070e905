/** Where a block comes from. */
export type BlockOrigin =
  /** Made here. */
  | { readonly kind: 'own' }
  | { readonly kind: 'rpc' }
  | { readonly kind: 'debug' }
  | { readonly kind: 'file' }
  /** The own block log, at a start. */
  | { readonly kind: 'recovery' }
  /** `name`: for logs. */
  | { readonly kind: 'peer'; readonly name: string };

/** Somebody else has sent it, and may have sent anything. */
export type SenderOrigin = BlockOrigin & { readonly kind: 'rpc' | 'peer' };

/** Somebody here reads it from somewhere. */
export type SourceOrigin = BlockOrigin & { readonly kind: 'debug' | 'file' | 'recovery' };

/** What a refusal adds about a block that nobody has sent. */
export const WITHIN: Readonly<Partial<Record<BlockOrigin['kind'], (number: number) => string>>> = {
  file: (number) => `while block ${number} of the file was applied`,
  recovery: (number) => `while block ${number} of the block log was applied again`,
};
