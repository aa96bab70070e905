const TERMINAL_INTERVAL_MS = 200;
const LINE_INTERVAL_MS = 5000;
const BAR_WIDTH = 24;
/** Rates are those of about this time, so that they follow what happens now. */
const RATE_WINDOW_MS = 10_000;

export interface ProgressOutput {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** A bar on a terminal, a line now and then elsewhere: blocks/s, transactions/s, time left. */
export class Progress {
  readonly #output: ProgressOutput;
  readonly #nowMs: () => number;
  readonly #startMs: number;
  #shownMs: number;
  #blocks = 0;
  #transactions = 0;
  #marks: { readonly ms: number; readonly blocks: number; readonly transactions: number }[];

  constructor(output: ProgressOutput, nowMs: () => number = () => performance.now()) {
    this.#output = output;
    this.#nowMs = nowMs;
    this.#startMs = nowMs();
    this.#shownMs = this.#startMs;
    this.#marks = [{ ms: this.#startMs, blocks: 0, transactions: 0 }];
  }

  /** `share` is what is done of the whole, 0 to 1. */
  add(number: number, transactions: number, share: number): void {
    this.#blocks++;
    this.#transactions += transactions;
    const now = this.#nowMs();
    const interval = this.#output.isTTY === true ? TERMINAL_INTERVAL_MS : LINE_INTERVAL_MS;
    if (now - this.#shownMs < interval) return;
    this.#shownMs = now;
    this.#show(number, share, now);
  }

  #show(number: number, share: number, now: number): void {
    this.#marks.push({ ms: now, blocks: this.#blocks, transactions: this.#transactions });
    while (this.#marks.length > 2 && now - (this.#marks[0]?.ms ?? now) > RATE_WINDOW_MS) this.#marks.shift();
    const from = this.#marks[0] ?? { ms: now, blocks: 0, transactions: 0 };
    const seconds = Math.max(0.001, (now - from.ms) / 1000);
    const elapsed = (now - this.#startMs) / 1000;
    const left = share > 0 ? (elapsed * (1 - share)) / share : Number.POSITIVE_INFINITY;
    const text =
      `block ${number}  ${(share * 100).toFixed(1)} %  ${rate((this.#blocks - from.blocks) / seconds)} blocks/s  ` +
      `${rate((this.#transactions - from.transactions) / seconds)} tx/s  ${duration(left)} left`;
    if (this.#output.isTTY !== true) {
      this.#output.write(`${text}\n`);
      return;
    }
    const filled = Math.round(BAR_WIDTH * Math.min(1, share));
    this.#output.write(`\r[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${text}\x1b[K`);
  }

  /** The last line; also clears the bar. */
  finish(number: number): void {
    const seconds = Math.max(0.001, (this.#nowMs() - this.#startMs) / 1000);
    if (this.#output.isTTY === true) this.#output.write('\r\x1b[K');
    this.#output.write(
      `${this.#blocks} blocks with ${this.#transactions} transactions in ${duration(seconds)} ` +
        `(${rate(this.#blocks / seconds)} blocks/s, ${rate(this.#transactions / seconds)} tx/s), head is block ${number}\n`,
    );
  }
}

function rate(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toFixed(1);
}

export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '?';
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
