import type { ContractModel } from './model.js';

/** Bytes by who pays for them, over a call and all that it leads to. */
export class Ram {
  readonly perAccount = new Map<bigint, bigint>();
  /** Before there were payers; less than it holds is never taken from it. */
  sum = 0n;
  readonly #m: ContractModel;

  constructor(m: ContractModel) {
    this.#m = m;
  }

  add(payer: bigint, bytes: number): void {
    if (!this.#m.isAfter('1016')) {
      if (bytes >= 0 || this.sum >= BigInt(-bytes)) this.sum += BigInt(bytes);
      return;
    }
    if (payer !== 0n) this.perAccount.set(payer, (this.perAccount.get(payer) ?? 0n) + BigInt(bytes));
  }

  /** Of a table itself. */
  addTable(payer: bigint, bytes: number): void {
    if (this.#m.isAfter('1016')) this.add(payer, bytes);
  }
}
