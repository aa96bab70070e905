import { harmlessLines } from '../../base/harmless.js';
import type { Logger } from '../../base/world.js';
import {
  type ContractAction,
  type ContractEngine,
  ContractRestart,
  type ContractSession,
} from '../../operations/contract/engine.js';
import { formatObjectId } from '../../protocol/ids.js';

const ACCOUNT_SPACE = 1;
const ACCOUNT_TYPE = 2;

/** The engine, with a log line for every line that a contract prints. It runs contracts as it does without. */
export function withConsole(engine: ContractEngine, log: Logger): ContractEngine {
  return {
    validate: (code) => engine.validate(code),
    begin: (origin, limits, host) => new LoggedSession(engine.begin(origin, limits, host), log),
  };
}

class LoggedSession implements ContractSession {
  readonly #session: ContractSession;
  readonly #log: Logger;
  readonly #lines: { readonly contract: string; readonly line: string }[] = [];
  /** Characters of the console that are among the lines. */
  #taken = 0;
  /** Another session prints all of it once more. */
  #isInVain = false;
  /** The contract that is printing. */
  #contract: number | undefined;

  constructor(session: ContractSession, log: Logger) {
    this.#session = session;
    this.#log = log;
  }

  get origin(): number {
    return this.#session.origin;
  }

  /** Contracts call each other: what was printed so far is the caller's. */
  execute(action: ContractAction): void {
    this.#take();
    const caller = this.#contract;
    this.#contract = action.contract;
    try {
      this.#session.execute(action);
    } catch (error) {
      if (error instanceof ContractRestart) this.#isInVain = true;
      throw error;
    } finally {
      this.#take();
      this.#contract = caller;
      if (caller === undefined && !this.#isInVain) this.#tell();
    }
  }

  #take(): void {
    const text = this.#session.console().slice(this.#taken);
    if (text === '' || this.#contract === undefined) return;
    this.#taken += text.length;
    const contract = formatObjectId(ACCOUNT_SPACE, ACCOUNT_TYPE, this.#contract);
    for (const line of harmlessLines(text)) this.#lines.push({ contract, line });
  }

  #tell(): void {
    for (const line of this.#lines.splice(0)) this.#log.info('contract prints', line);
  }

  get cpuTimeUs(): number {
    return this.#session.cpuTimeUs;
  }

  ramUsage(): ReturnType<ContractSession['ramUsage']> {
    return this.#session.ramUsage();
  }

  ramTotal(): number {
    return this.#session.ramTotal();
  }

  console(): string {
    return this.#session.console();
  }
}
