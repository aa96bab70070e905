/** Grows as needed; writes the scalars of the WebAssembly binary format. */
export class ByteWriter {
  private bytes = new Uint8Array(256);
  length = 0;

  private room(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length + count));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

  u8(value: number): this {
    this.room(1);
    this.bytes[this.length++] = value;
    return this;
  }

  raw(bytes: ArrayLike<number>): this {
    this.room(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
    return this;
  }

  u32(value: number): this {
    this.room(5);
    let rest = value >>> 0;
    while (rest > 0x7f) {
      this.bytes[this.length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.bytes[this.length++] = rest;
    return this;
  }

  /** Any signed value, a number of 32 bits; only its size decides whether it is an i32 or an i64. */
  signed(value: bigint | number): this {
    if (typeof value === 'number') return this.signed32(value);
    let rest = value;
    for (;;) {
      const byte = Number(rest & 0x7fn);
      rest >>= 7n;
      if ((rest === 0n && byte < 0x40) || (rest === -1n && byte >= 0x40)) return this.u8(byte);
      this.u8(byte | 0x80);
    }
  }

  /** Big integers take ten times as long, and most constants are small. */
  private signed32(value: number): this {
    let rest = value | 0;
    for (;;) {
      const byte = rest & 0x7f;
      rest >>= 7;
      if ((rest === 0 && byte < 0x40) || (rest === -1 && byte >= 0x40)) return this.u8(byte);
      this.u8(byte | 0x80);
    }
  }

  name(text: string): this {
    const bytes = new TextEncoder().encode(text);
    return this.u32(bytes.length).raw(bytes);
  }

  section(id: number, body: ByteWriter): this {
    return this.u8(id).u32(body.length).raw(body.view());
  }

  clear(): void {
    this.length = 0;
  }

  view(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  finish(): Uint8Array<ArrayBuffer> {
    return this.bytes.slice(0, this.length);
  }
}
