import { harmless } from '../../base/harmless.js';
import type { Logger } from '../../base/world.js';
import type { ContractAction, ContractEngine, ContractSession } from '../../operations/contract/engine.js';
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
  /** Characters of the console that are in the log. */
  #logged = 0;
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
    this.#flush();
    const caller = this.#contract;
    this.#contract = action.contract;
    try {
      this.#session.execute(action);
    } finally {
      this.#flush();
      this.#contract = caller;
    }
  }

  #flush(): void {
    const text = this.#session.console().slice(this.#logged);
    if (text === '' || this.#contract === undefined) return;
    this.#logged += text.length;
    const contract = formatObjectId(ACCOUNT_SPACE, ACCOUNT_TYPE, this.#contract);
    for (const line of text.replace(/\n$/, '').split('\n')) {
      this.#log.info('contract prints', { contract, line: harmless(line) });
    }
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
