import t from 'tap';
import { visible } from '../../../src/codec/visible.js';

/** Texts of strangers: what nobody sees is shown, and what scripts and pictures are made of stays. */

t.test('what nobody sees is shown by its number', async (t) => {
  for (const [text, shown] of [
    ['Gold\u202e', 'Gold\\u202e'],
    ['Go\u200bld', 'Go\\u200bld'],
    ['Go\u200dld', 'Go\\u200dld'],
    ['Go\u0301\u200dld', 'Go\u0301\\u200dld'],
    ['Gold\ufe0f 1\ufe0f', 'Gold\\ufe0f 1\\ufe0f'],
    ['Gold\u{e0041}', 'Gold\\udb40\\udc41'],
    ['\ufeffGo\u00adld\u034f\u3164\u2800', '\\ufeffGo\\u00adld\\u034f\\u3164\\u2800'],
    ['\u0000\u001b[2J\u2028', '\\u0000\\u001b[2J\\u2028'],
  ] as const) {
    t.equal(visible(text), shown);
    t.equal(JSON.parse(`"${shown}"`), text, 'it means the same in JSON');
  }
});

t.test('everything else stays as it is', async (t) => {
  for (const text of [
    'two\nlines\tand a tab, 1\u202f234',
    '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
    '\u0915\u094d\u200d\u0937',
    '\u845b\u{e0100}',
    '👩\u200d🔬 ❤\ufe0f 1\ufe0f\u20e3 🏳\ufe0f\u200d🌈 👩🏽\u200d🔬',
    '\ud800 alone',
  ]) {
    t.equal(visible(text), text);
  }
});
