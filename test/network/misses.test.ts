import t from 'tap';
import { wasKeptWaiting } from './misses.js';

t.test('a machine without time is told from a node that was busy', async (t) => {
  const line = (seconds: number, had: string): string =>
    `this node stood still for ${seconds} s from 2026-11-22T18:54:41 on, in which it had ${had} s of processor time: the machine`;
  t.equal(wasKeptWaiting(line(18, '0.2')), true);
  t.equal(wasKeptWaiting(line(18, '17.9')), false);
  t.equal(wasKeptWaiting(line(4, '2.0')), false);
  t.equal(wasKeptWaiting('the last block is old'), false);
});
