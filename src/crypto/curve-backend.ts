/** A curve library: no rule of the chain in it. */
export interface CurveBackend {
  readonly name: 'system' | 'native' | 'noble';
  /** Of the library, where it is known. */
  readonly version?: string;
  /**
   * Writes r ‖ s with a low s and returns the recovery id. The nonce is RFC 6979 over SHA-256;
   * 32 `extra` bytes, where given, go into it as its section 3.6 says.
   */
  sign(digest: Uint8Array, secret: Uint8Array, extra: Uint8Array | undefined, output: Uint8Array): number;
  /** Writes the 33 bytes of the key; false where there is none. */
  recover(signature: Uint8Array, recoveryId: number, digest: Uint8Array, output: Uint8Array): boolean;
  /**
   * Writes the 33 bytes of factor × point + baseFactor × G; false where the bytes are no point, or the sum is none.
   * Both factors are scalars other than 0.
   */
  multiplyAdd(point: Uint8Array, factor: Uint8Array, baseFactor: Uint8Array, output: Uint8Array): boolean;
  /**
   * Writes the 32 bytes of x of secret × point; false where the bytes are no point. How long it takes says nothing of
   * the secret.
   */
  sharedX(point: Uint8Array, secret: Uint8Array, output: Uint8Array): boolean;
  /** Writes the 65 bytes of the point, of 33; false where they are no point. */
  uncompress(point: Uint8Array, output: Uint8Array): boolean;
}
