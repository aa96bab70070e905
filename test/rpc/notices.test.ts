import t from 'tap';
import { compare } from './support/golden-rules.js';
import { GENERATED, replay } from './support/notice-replay.js';
import { isSameNotice, objectsOf } from './support/notice-rules.js';
import { type RecordedNotice, recording } from './support/recorded-notices.js';

/** The reference has applied the head block a second time before it made another one: see GENERATED. */
function isOfHeadBefore(text: string, before: readonly RecordedNotice[] = []): boolean {
  const shown = (notice: string): string => [...(objectsOf(notice)?.values() ?? [notice])].sort().join();
  return before.some((one) => one.text !== undefined && shown(one.text) === shown(text));
}

/** Of the recording, ours alone, and of the recording that are not compared. */
const EXPECTED = {
  main: { equal: 6420, ours: 4, doubled: 0 },
  fork: { equal: 110, ours: 2, doubled: 10 },
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
    let equal = 0;
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
          if (!isSameNotice(text, given[0])) {
            t.fail(`step ${step.step} ${step.action} ${conn}`, {
              recorded: text.slice(0, 700),
              given: given[0]?.slice(0, 700),
            });
            continue;
          }
          equal++;
          given.shift();
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
        const isComparable = row?.response.endsWith('}') === true;
        if (row === undefined || !isComparable) continue;
        t.equal(compare(reply, row.response), undefined, `${conn} ${row.request.slice(0, 120)}`);
      }
    }
    t.same({ equal, ours, doubled }, EXPECTED[name]);
    const total = recorded.notices.filter(({ text }) => text !== undefined).length;
    t.equal(equal + doubled, total, 'all are compared');
  });
}
