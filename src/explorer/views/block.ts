import { facts, h, table } from '../../page/dom.js';
import type { Block, Transaction } from '../answers.js';
import { group } from '../names.js';
import { finality, NotFound, type View } from '../page.js';
import { json, operationLines, pager, quiet, section, txLink, when } from '../parts.js';
import { blockHref, href } from '../routes.js';

const TRANSACTIONS_A_PAGE = 25;

/** `#/block/N`, `#/block/ID`, `#/block/N/PAGE` */
export const blockView: View = async (page, [wanted = '', pageWord = '1']) => {
  const isId = /^[0-9a-f]{40}$/i.test(wanted);
  const number = isId ? Number.parseInt(wanted.slice(0, 8), 16) : Number(wanted);
  if (!Number.isInteger(number) || number < 1 || number > 0xffffffff)
    throw new NotFound(`There is no block ${wanted}.`);
  const block = await (isId
    ? page.node.call<Block | null>('get_block_by_id', wanted.toLowerCase())
    : page.node.call<Block | null>('get_block', number));
  if (block === null) {
    const { head_block_number: head } = page.head;
    throw new NotFound(
      number > head
        ? `Block ${group(number)} is not made yet: the head is ${group(head)}.`
        : `This node does not have block ${wanted}: it may be on a branch that was left, or before what the node keeps.`,
    );
  }
  const pages = Math.max(1, Math.ceil(block.transactions.length / TRANSACTIONS_A_PAGE));
  const at = Math.min(pages, Math.max(1, Math.trunc(Number(pageWord)) || 1));
  const from = (at - 1) * TRANSACTIONS_A_PAGE;
  const shown = block.transactions.slice(from, from + TRANSACTIONS_A_PAGE);
  await page.names.prepare(
    block.witness,
    shown.map(({ operations }) => operations),
  );
  const next = h('span', {});
  const showNext = (): void => {
    if (next.childElementCount === 0 && number < page.head.head_block_number) {
      next.replaceChildren(h('a', { href: blockHref(number + 1), rel: 'next' }, 'Next block'));
    }
  };
  showNext();
  page.onBlock(showNext);
  return {
    title: `Block ${group(number)}`,
    body: [
      h(
        'nav',
        { class: 'pages', 'aria-label': 'Neighbours' },
        number > 1 && h('a', { href: blockHref(number - 1), rel: 'prev' }, 'Previous block'),
        next,
      ),
      section(
        'Header',
        facts(
          ['State', finality(page, number)],
          ['Time', when(block.timestamp)],
          ['Witness', page.names.link(block.witness)],
          ['Id', h('span', { class: 'mono' }, block.block_id)],
          [
            'Before it',
            number > 1 ? h('a', { class: 'mono', href: blockHref(number - 1) }, block.previous) : 'nothing',
          ],
          ['Signed by', page.names.key(block.signing_key)],
          ['Merkle root', h('span', { class: 'mono' }, block.transaction_merkle_root)],
          ['Transactions', group(block.transactions.length)],
        ),
      ),
      section(
        'Transactions',
        shown.length === 0
          ? quiet('There are none in this block.')
          : table(
              pages === 1 ? 'In the order of the block' : `In the order of the block, page ${at} of ${pages}`,
              [
                { name: 'No.', isNumber: true, cell: ({ i }: { i: number }) => String(i) },
                { name: 'Transaction', cell: ({ i }) => txLink(block.transaction_ids[i] ?? '') },
                {
                  name: 'What it does',
                  cell: ({ i }) => operationLines(page.names, block.transactions[i] as Transaction),
                },
              ],
              shown.map((_, i) => ({ i: from + i })),
            ),
        pager(
          { text: 'Earlier ones', href: at > 1 ? href('block', number, at - 1) : undefined },
          { text: 'Later ones', href: at < pages ? href('block', number, at + 1) : undefined },
        ),
      ),
      json(block),
    ],
  };
};
