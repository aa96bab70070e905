import { checkInstance } from '../instance.js';

/** Bytes that objects cost beside their contents. */
export const RAM_BYTES = {
  table: 112,
  row: 112,
  entry: 128,
} as const;

/** RAM that an operation 75 with all its inline calls takes and gives back. */
export class RamMeter {
  private readonly perPayer: boolean;
  private readonly bytes = new Map<bigint, number>();
  /** Sum over rows and entries, whoever pays: what was billed before RAM had payers. */
  private sum = 0;

  constructor(perPayer: boolean) {
    this.perPayer = perPayer;
  }

  addTable(payer: bigint, bytes: number): void {
    if (this.perPayer) this.add(payer, bytes);
  }

  add(payer: bigint, bytes: number): void {
    // Quirk: the sum has no sign, and a decrease that is larger than it is dropped.
    if (this.sum + bytes >= 0) this.sum += bytes;
    if (!this.perPayer || payer === 0n) return;
    // Before fork 1016 nobody looked at payers: rows from then may name what can be no account.
    checkInstance(payer);
    this.bytes.set(payer, (this.bytes.get(payer) ?? 0) + bytes);
  }

  get total(): number {
    return this.sum;
  }

  /** Ascending by account. */
  usage(): readonly (readonly [account: number, bytes: number])[] {
    return [...this.bytes].map(([account, bytes]) => [Number(account), bytes] as const).sort((a, b) => a[0] - b[0]);
  }
}
