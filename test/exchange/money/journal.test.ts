import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { FaultCounts } from './faults.js';
import { Journal } from './journal.js';

/** What a run that was ended leaves behind, and how the next one goes on. */

t.test('half a line of a run that was killed', (t) => {
  const file = join(t.testdir(), 'journal.jsonl');
  const first = new Journal(file);
  first.write({ kind: 'taken', key: '7', id: 'one' });
  appendFileSync(file, '{"kind":"done","n":7}');
  const second = new Journal(file);
  t.same(second.entries, [{ kind: 'taken', key: '7', id: 'one' }], 'what has no end was not written');
  second.write({ kind: 'done', n: 8 });
  t.same(new Journal(file).entries, [
    { kind: 'taken', key: '7', id: 'one' },
    { kind: 'done', n: 8 },
  ]);
  t.equal(readFileSync(file, 'utf8').split('\n').length, 3);
  writeFileSync(file, '{"ki');
  t.same(new Journal(file).entries, []);
  t.end();
});

t.test('faults of earlier runs count', (t) => {
  const file = join(t.testdir(), 'faults.jsonl');
  new FaultCounts(new Journal(file)).count('the node killed');
  const counts = new FaultCounts(new Journal(file));
  counts.count('the node killed');
  t.equal(counts.get('the node killed'), 2);
  t.end();
});
