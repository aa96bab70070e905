import { ChainError } from '../base/errors.js';
import { RpcError } from '../client/connection.js';
import type { JsonObject } from '../codec/json.js';
import { type CallTrace, printsOf, traceText } from './call-trace.js';

interface Found {
  readonly key: string;
  readonly message: string;
  readonly trace: CallTrace | undefined;
}

/** Undefined where it is no refusal. */
function read(error: unknown): Found | undefined {
  if (error instanceof RpcError) {
    const { trace } = (error.error.data ?? {}) as JsonObject;
    // As the node of this very version wrote it.
    return { key: error.key ?? error.kind, message: error.message, trace: trace as CallTrace | undefined };
  }
  if (!(error instanceof ChainError) || error.kind === 'bug') return undefined;
  return { key: error.key, message: error.message, trace: error.trace?.() as CallTrace | undefined };
}

/** The chain did not take something. A test that fails by it shows what contract calls did before. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** Stable name of the very check that failed, as docs/errors.md lists them. */
  readonly key: string;
  /** What contracts printed before it. */
  readonly prints: string;
  /** What the contract call did that was refused; undefined where it was something else. */
  readonly trace: CallTrace | undefined;

  constructor(key: string, message: string, prints: string, cause: unknown, trace?: CallTrace) {
    super(message, { cause });
    this.key = key;
    this.prints = prints;
    this.trace = trace;
    if (trace === undefined) return;
    // Whatever shows an error shows this, in whichever process.
    const places = this.stack?.indexOf('\n    at ') ?? -1;
    this.stack = `${this.name}: ${message}\n${traceText(trace)}${places < 0 ? '' : this.stack?.slice(places)}`;
  }

  /** Of whatever a chain or its client throws; undefined where that is no refusal. */
  static of(error: unknown, prints = ''): Refusal | undefined {
    if (error instanceof Refusal) return error;
    const found = read(error);
    if (found === undefined) return undefined;
    const { key, message, trace } = found;
    const printed = prints !== '' || trace === undefined ? prints : printsOf(trace);
    return new Refusal(key, message, printed, error, trace);
  }
}

const shown = (wanted: string | RegExp | undefined): string =>
  wanted === undefined ? 'a refusal' : `a refusal ${typeof wanted === 'string' ? `"${wanted}"` : wanted}`;

const fits = ({ key, message }: Refusal, wanted: string | RegExp | undefined): boolean => {
  if (wanted === undefined) return true;
  return typeof wanted === 'string' ? key === wanted || message.includes(wanted) : wanted.test(message);
};

/**
 * Passes when what is awaited is refused: by the name of the check (`tx_missing_active_auth`), by a part of what it
 * says (the text of a contract's own check), or by a pattern. Answers with the refusal. An error that is none, such as a
 * mistake in the test itself, is thrown on as it is.
 */
export async function expectRefusal(awaited: Promise<unknown>, wanted?: string | RegExp): Promise<Refusal> {
  let refusal: Refusal | undefined;
  try {
    await awaited;
  } catch (error) {
    refusal = Refusal.of(error);
    if (refusal === undefined) throw error;
  }
  if (refusal === undefined) throw new Error(`expected ${shown(wanted)}, and nothing was refused`);
  if (!fits(refusal, wanted)) {
    const { key, message, trace } = refusal;
    const led = trace === undefined ? '' : `\n${traceText(trace)}`;
    throw new Error(`expected ${shown(wanted)}, got ${key}: ${message}${led}`, { cause: refusal });
  }
  return refusal;
}
