import t from 'tap';
import { selectionOption, timeOption } from '../../../plugins/snapshot/options.js';

/** Which objects the plugin snapshot writes, and when, as config.ini.example says it. */

t.test('a star stands for all, and so does what comes behind it', async (t) => {
  const all = { space: undefined, type: undefined, instance: undefined };
  for (const [text, selection, written] of [
    ['* * *', all, '* * *'],
    ['* 2 3', all, '* * *'],
    ['1 * 3', { ...all, space: 1 }, '1 * *'],
    ['1 2 *', { ...all, space: 1, type: 2 }, '1 2 *'],
    [' 1  2 /* ', { ...all, space: 1, type: 2 }, '1 2 *'],
    ['1 2 3', { space: 1, type: 2, instance: 3 }, '1 2 3'],
  ] as const) {
    const parsed = selectionOption.parse(text);
    t.same(parsed, selection, text);
    if (parsed !== undefined) t.equal(selectionOption.format(parsed), written);
  }
  for (const text of ['', '1 2', '1 2 3 4', 'x 2 3', '1 -2 3', '1.2.3']) {
    t.equal(selectionOption.parse(text), undefined, text);
  }
});

t.test('a time is one of UTC, whole', async (t) => {
  const at = timeOption.parse('2020-12-28T02:00:00');
  t.equal(at, Date.UTC(2020, 11, 28, 2) / 1000);
  t.equal(timeOption.format(at ?? 0), '2020-12-28T02:00:00');
  for (const text of ['2020-12-28', '2020-12-28T02:00:00Z', '2020-13-28T02:00:00', 'now']) {
    t.equal(timeOption.parse(text), undefined, text);
  }
});
