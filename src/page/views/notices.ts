import { form, h, link, table, time } from '../dom.js';
import { bindFirst } from '../guard.js';
import type { View } from '../page.js';

/** What happened: votes that began, and votes that are over. */

const LIMIT = 50;
const KINDS: Readonly<Record<string, string>> = { VOTE_CREATED: 'has begun', VOTE_CLOSED: 'is over' };

interface Notice {
  readonly id: number;
  readonly kind: string;
  readonly voteId: number;
  readonly productId: number;
  readonly productName: string;
  readonly status: string;
  readonly createdAt: number;
  readonly readAt: number | null;
}

export const noticesView: View = bindFirst('Notifications', async (page) => {
  const { data } = await page.market.get<readonly Notice[]>(`/market/notification/list?limit=${LIMIT}`);
  if (data.length === 0) return { title: 'Notifications', body: [h('p', {}, 'There are none.')] };
  const unread = data.filter(({ readAt }) => readAt === null).map(({ id }) => id);
  const read = async (): Promise<undefined> => {
    await page.market.post('/market/notification/read', { ids: unread });
    await page.again();
  };
  return {
    title: 'Notifications',
    body: [
      ...(unread.length === 0 ? [] : [form(`Mark ${unread.length} as read`, read)]),
      table(
        'The newest first',
        [
          { name: 'When', cell: ({ createdAt }) => time(createdAt) },
          {
            name: 'What',
            cell: ({ voteId, kind, readAt }) =>
              h(
                'span',
                {},
                link(`#/vote/${voteId}`, `Vote ${voteId} ${KINDS[kind] ?? kind}`),
                readAt === null && h('strong', {}, ' (new)'),
              ),
          },
          { name: 'Product', cell: ({ productId, productName }) => link(`#/product/${productId}`, productName) },
        ],
        data,
      ),
    ],
  };
});
