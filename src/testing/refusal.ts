import { ChainError } from '../base/errors.js';
import { RpcError } from '../client/connection.js';

/** The chain did not take something. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** Stable name of the very check that failed, as docs/errors.md lists them. */
  readonly key: string;
  /** What contracts printed before it. */
  readonly prints: string;

  constructor(key: string, message: string, prints: string, cause: unknown) {
    super(message, { cause });
    this.key = key;
    this.prints = prints;
  }

  /** Of whatever a chain or its client throws; undefined where that is no refusal. */
  static of(error: unknown, prints = ''): Refusal | undefined {
    if (error instanceof Refusal) return error;
    if (error instanceof ChainError && error.kind !== 'bug')
      return new Refusal(error.key, error.message, prints, error);
    if (error instanceof RpcError) return new Refusal(error.key ?? error.kind, error.message, prints, error);
    return undefined;
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
    throw new Error(`expected ${shown(wanted)}, got ${refusal.key}: ${refusal.message}`, { cause: refusal });
  }
  return refusal;
}
