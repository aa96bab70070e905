import t from 'tap';
import { csvText } from '../../src/explorer/csv.js';

t.test('cells are kept apart, and none becomes a formula', async (t) => {
  t.equal(csvText(['a', 'b'], [['x', 1]]), 'a,b\r\nx,1\r\n');
  t.equal(csvText(['a'], [['one, "two"\nthree']]), 'a\r\n"one, ""two""\nthree"\r\n');
  t.equal(csvText(['a'], [['one\rtwo']]), 'a\r\n"one\rtwo"\r\n', 'some programs end lines so');
  t.equal(csvText(['a'], [['=1+1'], ['@x'], ['-2.5'], ['-x']]), "a\r\n'=1+1\r\n'@x\r\n-2.5\r\n'-x\r\n");
});
