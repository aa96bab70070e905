import { createInterface } from 'node:readline';
import { visible } from '../../codec/visible.js';
import type { SignedTransaction } from '../../protocol/transaction.js';
import { followTransaction, unsureText, type WaitFor } from '../../wallet/prompt/following.js';
import { runLine } from '../../wallet/prompt-line.js';
import { asSender } from '../../wallet/sending/sender.js';
import { asRefusal, detailText } from '../../wallet/text/detail.js';
import { isUnfinished } from '../../wallet/text/line.js';
import type { Wallet } from '../../wallet/wallet.js';
import type { Terminal } from '../terminal.js';

/** Commands that nobody sits in front of: nothing is asked, answers go out as they come. */

/** Lines that belong together while a quote or a bracket is open. */
export async function* wholeLines(lines: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let open = '';
  for await (const line of lines) {
    const whole = open === '' ? line : `${open}\n${line}`;
    open = isUnfinished(whole) ? whole : '';
    if (open === '') yield whole;
  }
  if (open !== '') yield open;
}

/** Of the standard input, as they come: a program may wait for an answer before it writes the next. */
export const standardInput = (): AsyncIterable<string> =>
  createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });

/** True when something was refused, or can no longer be taken by a block. All lines run, whatever became of others. */
export async function runScript(
  lines: AsyncIterable<string> | Iterable<string>,
  wallet: Wallet,
  terminal: Terminal,
  wait: WaitFor,
  touch: () => void,
): Promise<boolean> {
  let isRefused = false;
  for await (const line of lines) {
    touch();
    const sent: SignedTransaction[] = [];
    const sender = { approve: async () => true, sent: (tx: SignedTransaction) => void sent.push(tx) };
    const { output, refusal } = await asSender(sender, () => runLine(wallet, line));
    terminal.out(output);
    if (refusal !== undefined) {
      isRefused = true;
      terminal.err(unsureText(wallet, sent, refusal));
      continue;
    }
    if (wait === 'none') continue;
    for (const tx of sent) {
      const { signal } = new AbortController();
      const say = (text: string): void => terminal.err(text);
      try {
        const isDone = await followTransaction(wallet, tx, { until: wait, say, signal });
        isRefused ||= !isDone;
      } catch (error) {
        // It was sent; what has become of it nobody can say, and what stands behind it is run.
        isRefused = true;
        say(visible(detailText(asRefusal(error))));
      }
    }
  }
  return isRefused;
}
