import t from 'tap';
import { compare, WAITING } from './support/golden-rules.js';
import { GENERATED, replay } from './support/notice-replay.js';
import { judge, NOTICE_VERDICTS, objectsOf } from './support/notice-rules.js';
import { type RecordedNotice, type Recording, recording } from './support/recorded-notices.js';

/** Accounts that a connection has subscribed to, as the recorded answers show them. */
function subscribedAccounts({ requests }: Recording, conn: string): Set<string> {
  const out = new Set<string>();
  for (const one of requests) {
    if (one.conn !== conn || !/"get_full_accounts".*true\]/.test(one.request)) continue;
    for (const [, id] of one.response.matchAll(/"account":\{"id":"(1\.2\.\d+)"/g)) out.add(id as string);
  }
  return out;
}

/** The reference has applied the head block a second time before it made another one: see GENERATED. */
function isOfHeadBefore(text: string, before: readonly RecordedNotice[] = []): boolean {
  const shown = (notice: string): string => [...(objectsOf(notice)?.values() ?? [notice])].sort().join();
  return before.some((one) => one.text !== undefined && shown(one.text) === shown(text));
}

/** How many of each; the last two are the notices that are ours alone, and those of the recording that are not compared. */
const EXPECTED = {
  main: [5656, 759, 0, 5, 4, 0],
  fork: [98, 12, 0, 0, 2, 10],
} as const;

for (const name of ['main', 'fork'] as const) {
  t.test(`${name}: every recorded notice comes, in its order, and no other`, async (t) => {
    const recorded = recording(name);
    const wanted = new Map<string, RecordedNotice[]>();
    for (const notice of recorded.notices) {
      const key = `${notice.step} ${notice.conn}`;
      wanted.set(key, [...(wanted.get(key) ?? []), notice]);
    }
    const conns = [...new Set(recorded.notices.map(({ conn }) => conn))];
    const subscribed = new Map(conns.map((conn) => [conn, subscribedAccounts(recorded, conn)]));
    const counts = Object.fromEntries(NOTICE_VERDICTS.map((verdict) => [verdict, 0]));
    let ours = 0;
    let doubled = 0;
    for await (const [step, replayed] of replay(recorded)) {
      for (const conn of conns) {
        const given = [...(replayed.notices.get(conn) ?? [])];
        for (const { text } of wanted.get(`${step.step} ${conn}`) ?? []) {
          if (text === undefined) continue;
          if (step.action.startsWith(GENERATED) && isOfHeadBefore(text, wanted.get(`${step.step - 1} ${conn}`))) {
            doubled++;
            continue;
          }
          const verdict = judge(text, given[0], replayed.blocks, subscribed.get(conn) ?? new Set());
          if (verdict === undefined) {
            t.fail(`step ${step.step} ${step.action} ${conn}`, {
              recorded: text.slice(0, 700),
              given: given[0]?.slice(0, 700),
            });
            continue;
          }
          const [kind, isOurs] = verdict;
          counts[kind] = (counts[kind] as number) + 1;
          if (isOurs) given.shift();
        }
        for (const text of given) {
          // What a switch took back is told last.
          const isTakenBack = [...(objectsOf(text)?.keys() ?? ['-'])].every((id) => replayed.undone.has(id));
          if (isTakenBack) ours++;
          else t.fail(`step ${step.step} ${step.action} ${conn}: not recorded`, { given: text.slice(0, 700) });
        }
      }
      for (const [key, reply] of replayed.replies) {
        const [conn, id] = key.split(' ');
        const row = recorded.requests.find((one) => one.conn === conn && JSON.parse(one.request).id === Number(id));
        const isComparable = row?.response.endsWith('}') === true && !WAITING.some(({ match }) => match(row.request));
        if (row === undefined || !isComparable) continue;
        t.equal(compare(reply, row.response), undefined, `${conn} ${row.request.slice(0, 120)}`);
      }
    }
    const found = [...Object.values(counts), ours, doubled];
    t.comment(JSON.stringify({ ...counts, 'ours: what a switch took back': ours, 'head applied twice': doubled }));
    t.same(found, EXPECTED[name]);
    const total = recorded.notices.filter(({ text }) => text !== undefined).length;
    t.equal(found.reduce((sum, count) => sum + count, 0) - ours, total, 'all are compared');
  });
}
