import t from 'tap';
import { ChainError } from '../../src/base/errors.js';
import { HTTP_ERRORS } from '../../src/http/errors.js';
import { boundaryOf, readForm } from '../../src/http/multipart.js';
import { refused } from '../support/refused.js';

/** Forms as clients of all makes write them, cut at every place at which the network may cut them. */

interface Part {
  readonly name: string;
  readonly content: string;
}

async function parts(body: Buffer, cuts: readonly number[] = [], boundary = 'XX'): Promise<Part[]> {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    let from = 0;
    for (const to of [...cuts, body.length]) {
      yield body.subarray(from, to);
      from = to;
    }
  }
  const found: Part[] = [];
  await readForm(pieces(), boundary, (name) => {
    const content: Buffer[] = [];
    return {
      write: (piece) => void content.push(Buffer.from(piece)),
      end: () => void found.push({ name, content: Buffer.concat(content).toString('latin1') }),
    };
  });
  return found;
}

const field = (name: string, content: string, more = ''): string =>
  `--XX\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;

t.test('every cut gives the same parts', async (t) => {
  const content = '\r\n--X\r\n-- \0\xff--XY\r\r\n';
  const body = Buffer.from(`${field('a', content)}${field('b', '')}${field('c', '\r\n--')}--XX--\r\n`, 'latin1');
  const wanted = [
    { name: 'a', content },
    { name: 'b', content: '' },
    { name: 'c', content: '\r\n--' },
  ];
  t.same(await parts(body), wanted, 'whole');
  for (let cut = 1; cut < body.length; cut++) t.same(await parts(body, [cut]), wanted, `cut at ${cut}`);
  const every = Array.from({ length: body.length - 1 }, (_, i) => i + 1);
  t.same(await parts(body, every), wanted, 'byte by byte');
});

t.test('heads as they are written', async (t) => {
  const one = (head: string, content = 'v') => parts(Buffer.from(`--XX\r\n${head}\r\n\r\n${content}\r\n--XX--`));
  t.same(await one('content-disposition:form-data;name=plain'), [{ name: 'plain', content: 'v' }]);
  const java = 'Content-Type: text/plain; charset=ISO-8859-1\r\nContent-Transfer-Encoding: 8bit';
  t.same(await one(`Content-Disposition: form-data; name="memo"\r\n${java}`), [{ name: 'memo', content: 'v' }]);
  const tricky = 'Content-Disposition: form-data; filename="; name=\\"b\\"; x=\\\\"; name="a \\"q\\""';
  t.same(await one(tricky), [{ name: 'a "q"', content: 'v' }], 'a file name hides no other name');
  const twice = 'Content-Disposition: form-data; name="first"; name="second"';
  t.same(await one(twice), [{ name: 'first', content: 'v' }]);
  const padded = Buffer.from('before\r\n--XX \t\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--XX--after');
  t.same(await parts(padded), [{ name: 'a', content: '1' }], 'text around the form, spaces behind a boundary');
});

t.test('what is no form', async (t) => {
  const refusal = async (body: string): Promise<string> => {
    try {
      await parts(Buffer.from(body));
      return 'taken';
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      return error.message;
    }
  };
  for (const [body, why] of [
    ['', 'it ends before its last boundary'],
    [field('a', '1'), 'it ends before its last boundary'],
    ['--XXY\r\n', 'a boundary does not end its line'],
    [`--XX${' '.repeat(300)}`, 'a boundary does not end its line'],
    ['--XX\r\n\r\nx\r\n--XX--', 'a part has no name'],
    ['--XX\r\nContent-Disposition: form-data\r\n\r\nx\r\n--XX--', 'a part has no name'],
    ['--XX\r\nContent-Disposition: attachment; name="a"\r\n\r\nx\r\n--XX--', 'a part is not form-data'],
    ['--XX\r\nContent-Disposition\r\n\r\nx\r\n--XX--', 'a header of a part has no colon'],
    [`--XX\r\nX: ${'x'.repeat(9000)}`, 'the head of a part is too long'],
    [
      '--XX\r\nContent-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64\r\n\r\nx\r\n--XX--',
      'a part has an encoding of its own',
    ],
    [`${Array.from({ length: 101 }, (_, i) => field(`p${i}`, '')).join('')}--XX--`, 'it has more than 100 parts'],
  ] as const) {
    t.equal(await refusal(body), `the body is no form: ${why}`, why);
  }
});

t.test('the boundary stands in the header', async (t) => {
  t.equal(boundaryOf('multipart/form-data; boundary=abc'), 'abc');
  t.equal(boundaryOf('Multipart/Form-Data; charset=utf-8; Boundary="a b;c"'), 'a b;c');
  for (const header of [
    '',
    'multipart/form-data',
    'text/plain; boundary=a',
    `multipart/form-data; boundary=${'a'.repeat(71)}`,
  ]) {
    refused(t, HTTP_ERRORS.http_media_type, () => boundaryOf(header), header.slice(0, 40));
  }
});
