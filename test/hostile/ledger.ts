/** What came of the inputs, by their kind. */

const OUTCOMES = ['answered', 'refused', 'closed', 'silent'] as const;
/** `silent`: nothing came in the time that an attacker waits, as for half a request. */
export type Outcome = (typeof OUTCOMES)[number];

const WRONG_KEPT = 20;
const TEXT_SHOWN = 300;

interface Answer {
  readonly method?: unknown;
  readonly error?: { readonly data?: { readonly code?: unknown; readonly name?: unknown } };
}

export interface LedgerEntries {
  readonly counts: readonly (readonly [kind: string, row: Record<Outcome, number>])[];
  readonly wrong: readonly string[];
}

export class Ledger {
  readonly counts = new Map<string, Record<Outcome, number>>();
  readonly wrong: string[] = [];

  add(kind: string, outcome: Outcome, count = 1): void {
    let row = this.counts.get(kind);
    if (row === undefined) {
      row = { answered: 0, refused: 0, closed: 0, silent: 0 };
      this.counts.set(kind, row);
    }
    row[outcome] += count;
  }

  /** What another ledger has counted since it was last taken over. */
  take(entries: LedgerEntries): void {
    for (const [kind, row] of entries.counts) for (const outcome of OUTCOMES) this.add(kind, outcome, row[outcome]);
    this.wrong.push(...entries.wrong.slice(0, Math.max(0, WRONG_KEPT - this.wrong.length)));
  }

  /** Everything so far, which is then forgotten here. */
  give(): LedgerEntries {
    const entries = { counts: [...this.counts], wrong: this.wrong.splice(0) };
    this.counts.clear();
    return entries;
  }

  blame(kind: string, input: string | Uint8Array, what: string): void {
    if (this.wrong.length >= WRONG_KEPT) return;
    const shown = typeof input === 'string' ? input : Buffer.from(input).toString('latin1');
    this.wrong.push(`${kind}: ${what.slice(0, TEXT_SHOWN)}\n    to ${JSON.stringify(shown.slice(0, TEXT_SHOWN))}`);
  }

  /** Every answer is a result or a coded error, and none of them a bug. */
  judge(kind: string, input: string | Uint8Array, text: string): void {
    let answers: Answer[];
    try {
      answers = [JSON.parse(text)].flat();
    } catch {
      this.blame(kind, input, `no JSON: ${text}`);
      return;
    }
    for (const answer of answers) {
      const { error } = answer;
      if (error === undefined) continue;
      if (typeof error.data?.code === 'number' && error.data.name !== 'unhandled_exception') continue;
      this.blame(kind, input, text);
      return;
    }
    this.add(kind, answers.some(({ error }) => error === undefined) ? 'answered' : 'refused');
  }

  get total(): number {
    let total = 0;
    for (const row of this.counts.values()) for (const outcome of OUTCOMES) total += row[outcome];
    return total;
  }

  table(): string[] {
    const cells = (row: readonly string[]): string =>
      `  ${(row[0] as string).padEnd(28)}${row
        .slice(1)
        .map((cell) => cell.padStart(10))
        .join('')}`;
    const rows = [...this.counts].sort(([a], [b]) => (a < b ? -1 : 1));
    return [
      cells(['kind', 'inputs', ...OUTCOMES]),
      ...rows.map(([kind, row]) => {
        const numbers = OUTCOMES.map((outcome) => row[outcome]);
        const sum = numbers.reduce((all, one) => all + one, 0);
        return cells([kind, ...[sum, ...numbers].map(String)]);
      }),
    ];
  }
}
