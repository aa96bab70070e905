import t from 'tap';
import { Printed } from '../../../src/vm/printed.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

t.test('what is printed is there in its order, whoever reads it and when', async (t) => {
  const printed = new Printed();
  t.equal(printed.read(), '');
  const memory = bytes('hello');
  printed.add(memory);
  memory.fill(0x78);
  printed.add(' 1');
  printed.add(new Uint8Array(0));
  printed.add('');
  t.equal(printed.read(), 'hello 1', 'copied, as the memory of a contract changes');
  t.equal(printed.read(), 'hello 1');
  printed.add(bytes('é'));
  printed.add(2n.toString());
  printed.add(bytes('!'.repeat(1000)));
  t.equal(printed.read(), `hello 1é2${'!'.repeat(1000)}`);
});

t.test('what is not UTF-8 is replaced, and each text ends by itself', async (t) => {
  const printed = new Printed();
  for (const part of [[0xc3], [0xa9, 0xff], [0xef, 0xbb, 0xbf, 0x61]]) printed.add(Uint8Array.from(part));
  t.equal(printed.read(), '\ufffd\ufffd\ufffd\ufeffa');
});

t.test('texts and bytes have one end together', async (t) => {
  const MOST = 65_536;
  for (const first of ['x'.repeat(MOST - 3), bytes('x'.repeat(MOST - 3))]) {
    for (const last of ['12345', bytes('12345')]) {
      const printed = new Printed();
      for (const piece of [first, last, last, '6', bytes('7')]) printed.add(piece);
      t.equal(printed.read(), `${'x'.repeat(MOST - 3)}123`);
    }
  }
});
