import { h, table } from '../../page/dom.js';
import type { Block, Transaction } from '../answers.js';
import type { NodeLink } from '../node.js';
import type { View } from '../page.js';
import { operationLines, quiet, section, timeMs, when } from '../parts.js';

/** Transactions that the node has accepted and no block has taken yet: from the moment on that somebody looks. */

const KEPT_MAX = 500;
/** Blocks may come faster than they are looked through. */
const BLOCKS_LOOKED_AT = 20;

class Waiting {
  readonly list = new Map<string, Transaction>();
  /** The newest block that was looked through. */
  settled = 0;
  changed: () => void = () => undefined;

  add(transaction: Transaction): void {
    this.list.set(keyOf(transaction), transaction);
    // The oldest go first: a list is for looking at.
    for (const key of this.list.keys()) {
      if (this.list.size <= KEPT_MAX) break;
      this.list.delete(key);
    }
    this.changed();
  }

  /** What a block has taken, and what has become too old for any. */
  settle(block: Block | null): void {
    for (const transaction of block?.transactions ?? []) this.list.delete(keyOf(transaction));
    const now = timeMs(block?.timestamp ?? '1970-01-01T00:00:00');
    for (const [key, { expiration }] of this.list) if (timeMs(expiration) < now) this.list.delete(key);
    this.changed();
  }
}

/** A signature is over everything else; those without are told by their operations. */
const keyOf = ({ signatures, operations }: Transaction): string => signatures[0] ?? JSON.stringify(operations);

/** One subscription for each connection: views come and go. */
const known = new WeakMap<NodeLink, { connection: number; waiting: Promise<Waiting> }>();

function waitingOf(node: NodeLink): Promise<Waiting> {
  const found = known.get(node);
  if (found?.connection === node.connections) return found.waiting;
  const waiting = new Waiting();
  const ready = node
    .call(
      'set_pending_transaction_callback',
      node.listen((one) => waiting.add(one as Transaction)),
    )
    // What waited before is told by a development chain alone.
    .then(() => node.tryCall<readonly { readonly trx: Transaction }[]>('dev_pending'))
    .then((before = []) => {
      for (const { trx } of before) waiting.add(trx);
      return waiting;
    });
  known.set(node, { connection: node.connections, waiting: ready });
  return ready;
}

/** `#/waiting` */
export const waitingView: View = async (page, _words, left) => {
  const waiting = await waitingOf(page.node);
  const room = h('div', { id: 'waiting' });
  let isDrawing = false;
  const draw = async (): Promise<void> => {
    if (isDrawing) return;
    isDrawing = true;
    try {
      const list = [...waiting.list.values()].reverse();
      await page.names.prepare(list.map(({ operations }) => operations));
      if (left.aborted) return;
      room.replaceChildren(
        list.length === 0
          ? quiet('None since you look.')
          : table(
              `${list.length} since you look, the newest first`,
              [
                { name: 'What it would do', cell: (one: Transaction) => operationLines(page.names, one) },
                { name: 'Expires', cell: ({ expiration }) => when(expiration) },
              ],
              list,
            ),
      );
    } finally {
      isDrawing = false;
    }
  };
  const settle = async (): Promise<void> => {
    const { head_block_number: head } = page.head;
    if (waiting.list.size > 0) {
      const from = Math.max(waiting.settled + 1, head - BLOCKS_LOOKED_AT);
      for (let number = from; number <= head; number++) {
        waiting.settle(await page.node.call<Block | null>('get_block', number));
      }
    }
    waiting.settled = head;
  };
  waiting.changed = () => void draw();
  left.addEventListener('abort', () => {
    waiting.changed = () => undefined;
  });
  await settle();
  await draw();
  page.onBlock(settle);
  return {
    title: 'Waiting transactions',
    body: [
      quiet('What this node has accepted and no block has taken yet. They come as they are sent.'),
      section('They wait', room),
    ],
  };
};
