import { Parser, type Result, type TapError } from 'tap-parser';

export interface Failure {
  /** From the outermost test to the assertion. */
  readonly name: string;
  readonly diagnostics: unknown;
}

export interface Skip {
  readonly name: string;
  /** Why, and what would help; empty where the test does not say. */
  readonly reason: string;
}

export interface TapResult {
  readonly passed: number;
  readonly failures: readonly Failure[];
  readonly skips: readonly Skip[];
}

const nameOf = ({ fullname, name }: Result): string => (fullname === '' ? name : fullname);

/** Reads what one test file says, down to the assertions; what is no assertion of its own is not counted. */
export class TapReader {
  readonly #failures: Failure[] = [];
  readonly #skips: Skip[] = [];
  readonly #parser = new Parser();
  #passed = 0;

  constructor() {
    this.#listen(this.#parser);
    this.#parser.on('complete', ({ failures }) => this.#takeErrors(failures));
  }

  #listen(parser: Parser): void {
    let failuresBefore = 0;
    parser.on('child', (child: Parser) => {
      failuresBefore = this.#failures.length;
      this.#listen(child);
    });
    parser.on('assert', (result: Result) => {
      // The line that sums up a test which has lines of its own counts only when it is bad and none of those is.
      if (result.closingTestPoint && (result.ok || this.#failures.length > failuresBefore)) return;
      if (result.skip !== false) {
        this.#skips.push({ name: nameOf(result), reason: result.skip === true ? '' : result.skip });
      } else if (result.ok || result.todo !== false) this.#passed++;
      else this.#failures.push({ name: nameOf(result), diagnostics: result.diag });
    });
  }

  /** Output that breaks off, counts that do not fit: failures without an assertion. */
  #takeErrors(failures: readonly TapError[]): void {
    for (const failure of failures) {
      const isAssertion = 'fullname' in failure;
      if (!isAssertion) this.#failures.push({ name: String(failure.tapError), diagnostics: undefined });
    }
  }

  get hasFailed(): boolean {
    return this.#failures.length > 0;
  }

  write(text: string): void {
    this.#parser.write(text);
  }

  end(): TapResult {
    this.#parser.end();
    const isBad = !this.#parser.ok && this.#failures.length === 0;
    return {
      passed: this.#passed,
      failures: isBad
        ? [{ name: 'the output is not that of a test that passes', diagnostics: undefined }]
        : this.#failures,
      skips: this.#skips,
    };
  }
}
