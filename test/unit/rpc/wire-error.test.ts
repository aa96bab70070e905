import t from 'tap';
import { ChainError, defineErrors, FAMILY, inContext } from '../../../src/base/errors.js';
import type { JsonObject } from '../../../src/codec/json.js';
import { printError, wireError } from '../../../src/rpc/wire-error.js';

const ROWS = defineErrors({
  broken_jar: { ...FAMILY.invalidArgument, text: 'the jar ${jar} is broken' },
});

/** What somebody is told whose jar breaks on a shelf in a room. */
function refusal(): ChainError {
  try {
    inContext(
      'in the room ${room}',
      () => ({ room: 'kitchen' }),
      () =>
        inContext(
          'on the shelf ${shelf}',
          () => ({ shelf: 3n }),
          () => {
            throw new ChainError(ROWS.broken_jar, { jar: Uint8Array.of(0xab) });
          },
        ),
    );
  } catch (error) {
    if (error instanceof ChainError) return error;
  }
  throw new Error('nothing was refused');
}

const call = { method: 'carry', params: ['jar'] };

t.test('the frames of a refusal: the check, what it stood in, the call', async (t) => {
  const { message, data } = wireError(refusal(), call) as { message: string; data: { stack: JsonObject[] } };
  t.match(message, /the jar ab is broken.* on the shelf 3.* in the room kitchen/);
  t.same(
    data.stack.map(({ format, data }) => [format, data]),
    [
      ['the jar ${jar} is broken', { jar: 'ab' }],
      ['on the shelf ${shelf}', { shelf: '3' }],
      ['in the room ${room}', { room: 'kitchen' }],
      ['', { 'call.method': 'carry', 'call.params': ['jar'] }],
    ],
  );
});

t.test('frames are left out where the answer would be too long', async (t) => {
  const whole = printError('7', refusal(), call, 100_000);
  t.equal(JSON.parse(whole).error.data.stack.length, 4);
  t.equal(printError('7', refusal(), call, whole.length), whole, 'just short enough');
  t.same(JSON.parse(printError('7', refusal(), call, whole.length - 1)).error.data.stack, []);
});
