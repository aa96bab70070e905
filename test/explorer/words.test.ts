import t from 'tap';
import { WORDS } from '../../src/explorer/words.js';
import { OPERATION_DECLARATIONS } from '../../src/protocol/operations/index.js';

/** Sentences of the explorer are about operations as they are. */

t.test('every operation has its name and a sentence of its own fields', async (t) => {
  t.same(
    WORDS.map(([name]) => name),
    OPERATION_DECLARATIONS.map(({ name }) => name),
  );
  OPERATION_DECLARATIONS.forEach(({ name, schema }, tag) => {
    const sentence = WORDS[tag]?.[1] ?? '';
    t.ok(sentence.length > 10, `${name} is told`);
    for (const [, field = ''] of sentence.matchAll(/\{(\w+)/g)) {
      t.ok(Object.hasOwn(schema.fields, field), `${name} has ${field}`);
    }
  });
});
