import type { Logger, LogValues } from '../../src/base/world.js';

export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly module: string;
  readonly text: string;
  readonly values: LogValues;
}

/** Keeps what was logged, for tests that look at it. */
export class MemoryLog implements Logger {
  readonly entries: LogEntry[];
  readonly #module: string;

  constructor(module = '', entries: LogEntry[] = []) {
    this.#module = module;
    this.entries = entries;
  }

  #add(level: LogEntry['level'], text: string, values: LogValues = {}): void {
    this.entries.push({ level, module: this.#module, text, values });
  }

  debug(text: string, values?: LogValues): void {
    this.#add('debug', text, values);
  }

  info(text: string, values?: LogValues): void {
    this.#add('info', text, values);
  }

  warn(text: string, values?: LogValues): void {
    this.#add('warn', text, values);
  }

  error(text: string, values?: LogValues): void {
    this.#add('error', text, values);
  }

  child(module: string): MemoryLog {
    return new MemoryLog(module, this.entries);
  }

  texts(...levels: LogEntry['level'][]): string[] {
    return this.entries.filter((entry) => levels.includes(entry.level)).map((entry) => entry.text);
  }
}
