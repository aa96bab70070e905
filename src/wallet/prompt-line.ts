import type { ChainError } from '../base/errors.js';
import type { Json } from '../codec/json.js';
import { visible } from '../codec/visible.js';
import { runCommand } from './commands/index.js';
import { asRefusal, detailText } from './text/detail.js';
import { parseLine } from './text/line.js';
import { prettyJson } from './text/pretty-json.js';
import type { Wallet } from './wallet.js';

export interface LineOutcome {
  /** With its line end; "" for a line without a command. */
  readonly output: string;
  readonly refusal: ChainError | undefined;
}

/** Runs what was typed and says what the prompt prints. */
export async function runLine(wallet: Wallet, line: string): Promise<LineOutcome> {
  try {
    const [name, ...given] = parseLine(line);
    if (name === undefined) return { output: '', refusal: undefined };
    const answer = await runCommand(wallet, wordOf(name), given);
    const shown = await answer.show();
    return { output: visible(`${shown ?? prettyJson(answer.result)}\n`), refusal: undefined };
  } catch (error) {
    const refusal = asRefusal(error);
    return { output: visible(detailText(refusal)), refusal };
  }
}

const wordOf = (name: Json): string => (typeof name === 'string' ? name : String(name));
