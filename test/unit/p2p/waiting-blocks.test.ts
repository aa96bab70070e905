import t from 'tap';
import { P2P_LIMITS } from '../../../src/p2p/limits.js';
import type { ReceivedBlock } from '../../../src/p2p/received-block.js';
import { WaitingBlocks } from '../../../src/p2p/sync/waiting-blocks.js';

const { blocks_waiting_max: most, blocks_waiting_bytes_max: mostBytes } = P2P_LIMITS;

/** Only what a block that waits is looked at for. */
const blockOf = (id: number, bytes: number): ReceivedBlock =>
  ({ id: String(id), bytes: new Uint8Array(bytes) }) as unknown as ReceivedBlock;

function filled(count: number, bytes: number): WaitingBlocks {
  const waiting = new WaitingBlocks();
  for (let i = 0; i < count; i++) waiting.add(blockOf(i, bytes));
  return waiting;
}

t.test('what is under way takes room', async (t) => {
  const waiting = filled(100, 100);
  t.equal(waiting.room(0), most - 100);
  t.equal(waiting.room(300), most - 400);
});

t.test('once it was full, there is room again when half of it is free', async (t) => {
  const waiting = filled(most - 100, 100);
  t.equal(waiting.room(99), 1, 'it may be filled to the last');
  t.equal(waiting.room(100), 0);
  for (let i = 0; i < most / 2 - 1; i++) waiting.take(String(i));
  t.equal(waiting.room(100), 0, 'no request for each block that is taken');
  waiting.take(String(most / 2 - 1));
  t.equal(waiting.room(100), most / 2);
  t.equal(waiting.room(200), most / 2 - 100, 'and is filled up then');
});

t.test('large blocks fill it before there are many', async (t) => {
  const waiting = filled(0, 0);
  const bytes = 1024 * 1024;
  let count = 0;
  while (waiting.room(0) > 0) waiting.add(blockOf(count++, bytes));
  t.ok(count < most && waiting.bytes <= mostBytes + bytes, `${count} blocks`);
  let taken = 0;
  while (waiting.room(0) === 0 && taken < count) waiting.take(String(taken++));
  t.ok(taken > count / 3 && taken < (2 * count) / 3, `${taken} of ${count} were taken`);
});
