import type { Logger, LogValues } from '../base/world.js';

/**
 * The log of a chain under test: it keeps what contracts print while somebody asks for it, and hands everything else to
 * whoever wants to read it.
 */
export class TestLog implements Logger {
  readonly #shared: { lines: string[] | undefined };
  readonly #tell: (line: string) => void;

  constructor(tell: (line: string) => void, shared: { lines: string[] | undefined } = { lines: undefined }) {
    this.#tell = tell;
    this.#shared = shared;
  }

  /** What contracts print during some work that takes no turn of the event loop. */
  printsOf<T>(work: () => T): { readonly done: T | undefined; readonly error: unknown; readonly prints: string } {
    const lines: string[] = [];
    this.#shared.lines = lines;
    try {
      return { done: work(), error: undefined, prints: lines.join('\n') };
    } catch (error) {
      return { done: undefined, error, prints: lines.join('\n') };
    } finally {
      this.#shared.lines = undefined;
    }
  }

  #line(level: string, text: string, values: LogValues = {}): void {
    const { contract, line } = values;
    if (text === 'contract prints' && contract !== undefined) this.#shared.lines?.push(String(line));
    this.#tell(
      `${level} ${text} ${Object.entries(values)
        .map(([name, value]) => `${name}=${value}`)
        .join(' ')}`,
    );
  }

  debug(text: string, values?: LogValues): void {
    this.#line('debug', text, values);
  }

  info(text: string, values?: LogValues): void {
    this.#line('info', text, values);
  }

  warn(text: string, values?: LogValues): void {
    this.#line('warn', text, values);
  }

  error(text: string, values?: LogValues): void {
    this.#line('error', text, values);
  }

  child(): TestLog {
    return new TestLog(this.#tell, this.#shared);
  }
}
