import { type Child, h } from '../page/dom.js';
import type { Head } from './answers.js';
import type { Names } from './names.js';
import type { NodeLink } from './node.js';

/** What views stand on, and what they are. */

export interface Page {
  readonly node: NodeLink;
  readonly names: Names;
  readonly head: Head;
  /** Seconds between blocks. */
  readonly interval: number;
  /** The asset in which fees are paid. */
  readonly core: string;
  readonly chainId: string;
  /** Runs after each block until another view is shown. */
  onBlock(run: () => void | Promise<void>): void;
  go(target: string): void;
}

export interface Shown {
  readonly title: string;
  readonly body: readonly Child[];
}

/** `words` are what stands behind the view's name; `left` tells when something else is shown. */
export type View = (page: Page, words: readonly string[], left: AbortSignal) => Promise<Shown>;

/** What was asked for is not there: no fault of anybody. */
export class NotFound extends Error {
  /** What is there in its place. */
  readonly instead: Child;

  constructor(message: string, instead?: Child) {
    super(message);
    this.instead = instead;
  }
}

/** Irreversible or not, and it turns when it becomes so. */
export function finality(page: Page, number: number): HTMLElement {
  const told = h('span', {});
  const tell = (): void => {
    const { last_irreversible_block_num: last } = page.head;
    const left = number - last;
    told.className = left <= 0 ? 'state good' : 'state wait';
    told.textContent =
      left <= 0 ? 'irreversible' : `not irreversible yet, ${left} ${left === 1 ? 'block' : 'blocks'} to go`;
  };
  tell();
  page.onBlock(tell);
  return told;
}
