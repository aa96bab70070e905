import type { Json } from '../../codec/json.js';
import type { Fields } from '../../codec/struct.js';
import { visible } from '../../codec/visible.js';
import type { SignedTransaction } from '../../protocol/transaction.js';
import type { AnyCommand } from '../commands/define.js';
import { COMMANDS } from '../commands/index.js';
import { SENDING_ERRORS } from '../errors.js';
import { runLine } from '../prompt-line.js';
import { asSender } from '../sending/sender.js';
import { asRefusal, detailText } from '../text/detail.js';
import { isUnfinished, parseLine } from '../text/line.js';
import { previewText } from '../text/review.js';
import type { Wallet } from '../wallet.js';
import { completerOf } from './completion.js';
import { followTransaction, unsureText, type WaitFor } from './following.js';
import { LineReader, type TerminalStreams } from './line-reader.js';

/** The wallet at a terminal. */

export interface PromptOptions {
  /** Nothing is asked before it is sent. */
  readonly yes: boolean;
  readonly wait: WaitFor;
  readonly isColoured: boolean;
  /** Called with every command: the wallet is in use. */
  touch(): void;
}

const COLOUR = { new: 36, locked: 32, unlocked: 33, refused: 31 } as const;
const CONTINUED = '... ';

const stateOf = ({ ring }: Wallet): 'new' | 'locked' | 'unlocked' =>
  ring.isNew ? 'new' : ring.isLocked ? 'locked' : 'unlocked';

/** The command that a line begins with, in quotes or not; undefined for none. Lines that cannot be read have one, too. */
function commandOf(line: string): AnyCommand | undefined {
  const [, quoted, bare = ''] = /^[\s,]*(?:"([^"]*)"|([^\s,[{]*))/.exec(line) ?? [];
  const name = quoted ?? bare.replaceAll('"', '');
  return Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
}

/** Lines with keys or passwords in them are not offered again. */
const isKept = (line: string): boolean => line.trim() !== '' && commandOf(line)?.secret === undefined;

export class Prompt {
  readonly #wallet: Wallet;
  readonly #reader: LineReader;
  readonly #options: PromptOptions;

  constructor(wallet: Wallet, streams: TerminalStreams, options: PromptOptions) {
    this.#wallet = wallet;
    this.#reader = new LineReader(streams, completerOf(wallet, COMMANDS));
    this.#options = options;
  }

  /** A message that comes while somebody types. */
  print(text: string): void {
    this.#reader.print(text);
  }

  /** The wallet was locked, or has another state for another reason. */
  refresh(): void {
    this.#reader.changePrompt(this.#promptText());
  }

  close(): void {
    this.#reader.close();
  }

  #coloured(text: string, colour: keyof typeof COLOUR): string {
    return this.#options.isColoured ? `\u001b[${COLOUR[colour]}m${text}\u001b[0m` : text;
  }

  #promptText(): string {
    const state = stateOf(this.#wallet);
    return `${this.#coloured(state, state)} >>> `;
  }

  /** Until the input ends. */
  async run(): Promise<void> {
    if (this.#wallet.ring.isNew) {
      this.print('Please use the set_password method to initialize a new wallet before continuing\n');
    }
    for (let line = await this.#line(); line !== undefined; line = await this.#line()) {
      this.#options.touch();
      const complete = await this.#withSecrets(line);
      if (complete !== undefined) await this.#execute(complete);
    }
    this.print('\n');
  }

  /** With the lines that belong to it while a quote or a bracket is open. */
  async #line(): Promise<string | undefined> {
    const first = await this.#reader.ask({ text: this.#promptText(), isKept, isFirst: true });
    let whole = first;
    while (whole !== undefined && whole.trim() !== '' && isUnfinished(whole)) {
      const begun = whole;
      const more = await this.#reader.ask({ text: CONTINUED, isKept: () => isKept(begun) });
      // Given up, or the end of the input.
      if (more === undefined || more === '') return more;
      whole += `\n${more}`;
    }
    return whole;
  }

  /** Keys and passwords that are left out at the end of a line are asked for, and not shown. */
  async #withSecrets(line: string): Promise<string | undefined> {
    const definition = commandOf(line);
    if (definition?.secret === undefined) return line;
    let given: Json[];
    try {
      given = parseLine(line).slice(1);
    } catch {
      // What is wrong with it is said when it runs.
      return line;
    }
    const missing = Object.keys(definition.params as Fields).slice(given.length);
    if (missing.length === 0 || !missing.every((name) => definition.secret?.includes(name))) return line;
    let whole = line;
    for (const name of missing) {
      const answer = await this.#secret(name);
      if (answer === undefined || answer === '') return undefined;
      if (definition === COMMANDS.set_password && (await this.#secret(`${name} again`)) !== answer) {
        this.print('the two are not the same; nothing was changed\n');
        return undefined;
      }
      // A list is typed as one; a password may begin like one.
      const isList = (definition.params as Fields)[name]?.shape.kind === 'array' && answer.startsWith('[');
      whole += ` ${isList ? answer : JSON.stringify(answer)}`;
    }
    return whole;
  }

  #secret(name: string): Promise<string | undefined> {
    return this.#reader.ask({ text: `${name.replaceAll('_', ' ')}: `, isMasked: true });
  }

  async #execute(line: string): Promise<void> {
    const sent: SignedTransaction[] = [];
    const sender = {
      approve: (tx: SignedTransaction) => this.#approve(tx),
      sent: (tx: SignedTransaction) => void sent.push(tx),
    };
    const { output, refusal } = await asSender(sender, () => runLine(this.#wallet, line));
    if (refusal?.row === SENDING_ERRORS.broadcast_declined && sent.length === 0) {
      // Saying no is no mistake: programs get the refusal, a person the answer alone.
      this.print(`${SENDING_ERRORS.broadcast_declined.text}\n`);
      return;
    }
    this.print(refusal === undefined ? output : this.#coloured(output, 'refused'));
    if (refusal !== undefined) {
      this.print(unsureText(this.#wallet, sent, refusal));
      return;
    }
    for (const tx of sent) await this.#follow(tx);
  }

  async #approve(tx: SignedTransaction): Promise<boolean> {
    if (this.#options.yes) return true;
    this.print(visible(await previewText(this.#wallet, tx)));
    const answer = await this.#reader.ask({ text: 'send it? (y/N) ' });
    return /^\s*y(es)?\s*$/i.test(answer ?? '');
  }

  async #follow(tx: SignedTransaction): Promise<void> {
    const { wait: until } = this.#options;
    if (until === 'none') return;
    const stop = new AbortController();
    this.#reader.onInterrupt = () => stop.abort();
    try {
      const say = (text: string): void => this.print(text);
      await followTransaction(this.#wallet, tx, { until, say, signal: stop.signal });
    } catch (error) {
      this.print(this.#coloured(visible(detailText(asRefusal(error))), 'refused'));
    } finally {
      this.#reader.onInterrupt = () => undefined;
    }
  }
}
