import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';

/** Lines that somebody types at a terminal, one for each question; with history, completion, and answers that nobody sees. */

export type Completer = (line: string) => Promise<readonly [found: readonly string[], part: string]>;

export interface TerminalStreams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

export interface Question {
  /** What stands in front of the answer. */
  readonly text: string;
  /** What is typed is not shown. */
  readonly isMasked?: boolean;
  /** Whether the answer is offered again, by the arrow up. */
  readonly isKept?: (line: string) => boolean;
  /** Ctrl-C on an empty line ends everything; elsewhere it gives up the line, and the answer is nothing. */
  readonly isFirst?: boolean;
}

/** Shows what the editor of the line writes, unless it must not be seen. */
class EditorOutput extends Writable {
  isMuted = false;
  readonly #terminal: NodeJS.WriteStream;

  constructor(terminal: NodeJS.WriteStream) {
    super();
    this.#terminal = terminal;
    terminal.on('resize', () => this.emit('resize'));
  }

  get columns(): number {
    return this.#terminal.columns;
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    // Without waiting for the terminal: what comes before the muting must not be caught by it.
    if (!this.isMuted) this.#terminal.write(chunk);
    done();
  }
}

export class LineReader {
  readonly #editor: Interface;
  readonly #output: EditorOutput;
  /** Typed ahead, before somebody asked. */
  readonly #ahead: string[] = [];
  #question: (Question & { answer(line: string | undefined): void }) | undefined;
  #isClosed = false;
  /** Ctrl-C while nobody waits for a line. */
  onInterrupt: () => void = () => undefined;

  constructor({ input, output }: TerminalStreams, complete: Completer) {
    this.#output = new EditorOutput(output);
    this.#editor = createInterface({
      input,
      output: this.#output,
      terminal: true,
      removeHistoryDuplicates: true,
      completer: (line: string, done: (error: null, result: [string[], string]) => void) => {
        const nothing: [string[], string] = [[], line];
        if (this.#question?.isKept === undefined) return done(null, nothing);
        complete(line).then(
          ([found, part]) => done(null, [[...found], part]),
          // A node that does not answer is no reason to disturb the line.
          () => done(null, nothing),
        );
      },
    });
    this.#editor.on('history', (lines: string[]) => {
      const [last] = lines;
      if (last !== undefined && this.#question?.isKept?.(last) !== true) lines.shift();
    });
    this.#editor.on('line', (line) => {
      if (this.#question === undefined) this.#ahead.push(line);
      else this.#answer(line);
    });
    this.#editor.on('close', () => {
      this.#isClosed = true;
      if (this.#question !== undefined) this.#answer(undefined);
    });
    this.#editor.on('SIGINT', () => this.#interrupted());
  }

  #answer(line: string | undefined): void {
    const question = this.#question;
    this.#question = undefined;
    if (question?.isMasked === true) {
      this.#output.isMuted = false;
      this.#output.write('\n');
    }
    question?.answer(line);
  }

  #interrupted(): void {
    const question = this.#question;
    if (question === undefined) {
      this.onInterrupt();
      return;
    }
    this.#output.write('^C\n');
    const hadText = this.#editor.line !== '';
    // The line is given up: its text goes, and what asked for it gets nothing.
    this.#editor.write(null, { ctrl: true, name: 'e' });
    this.#editor.write(null, { ctrl: true, name: 'u' });
    if (hadText || question.isFirst !== true) this.#answer('');
    else this.#editor.close();
  }

  /** Undefined: there will be no more lines. */
  ask(question: Question): Promise<string | undefined> {
    const typed = this.#ahead.shift();
    if (typed !== undefined) return Promise.resolve(typed);
    if (this.#isClosed) return Promise.resolve(undefined);
    return new Promise((answer) => {
      this.#question = { ...question, answer };
      this.#editor.setPrompt(question.text);
      this.#editor.prompt();
      this.#output.isMuted = question.isMasked === true;
    });
  }

  /** Another text in front of the first line of a command. */
  changePrompt(text: string): void {
    if (this.#question?.isFirst !== true) return;
    this.#editor.setPrompt(text);
    this.#editor.prompt(true);
  }

  /** Writes between what is being typed: the line is drawn again below it. */
  print(text: string): void {
    const isTyping = this.#question !== undefined && !this.#output.isMuted;
    this.#output.write(isTyping ? `\r\u001b[J${text}` : text);
    if (isTyping) this.#editor.prompt(true);
  }

  close(): void {
    this.#editor.close();
  }
}

const NO_COMPLETION: Completer = async (line) => [[], line];

/** One answer that nobody sees. */
export async function askSecret(streams: TerminalStreams, text: string): Promise<string> {
  const reader = new LineReader(streams, NO_COMPLETION);
  try {
    return (await reader.ask({ text, isMasked: true })) ?? '';
  } finally {
    reader.close();
  }
}
