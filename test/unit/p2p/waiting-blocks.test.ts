import t from 'tap';
import { P2P_LIMITS } from '../../../src/p2p/limits.js';
import type { ReceivedBlock } from '../../../src/p2p/received-block.js';
import { GivenBlocks } from '../../../src/p2p/sync/given-blocks.js';
import { WaitingBlocks } from '../../../src/p2p/sync/waiting-blocks.js';

const { blocks_waiting_max: most, blocks_waiting_bytes_max: mostBytes } = P2P_LIMITS;

/** Only what a block that waits is looked at for. */
const blockOf = (number: number, bytes: number, sender = number): ReceivedBlock =>
  ({ id: String(number), number, bytes: new Uint8Array(bytes), sender: { id: sender } }) as unknown as ReceivedBlock;

const NONE = (): ReadonlySet<string> => new Set();
/** Who has sent nothing yet. */
const NOBODY = -1;

function filled(count: number, bytes: number): WaitingBlocks {
  const waiting = new WaitingBlocks();
  for (let i = 0; i < count; i++) waiting.add(blockOf(i, bytes), NONE);
  return waiting;
}

t.test('what is under way takes room', async (t) => {
  const waiting = filled(100, 100);
  t.equal(waiting.room(0, NOBODY), most - 100);
  t.equal(waiting.room(300, NOBODY), most - 400);
});

t.test('once hardly a tenth was free, there is room again when half of it is', async (t) => {
  const waiting = filled(most - 100, 100);
  t.equal(filled(0.9 * most, 100).room(0, NOBODY), most / 10, 'the tenth itself may be asked for');
  t.equal(waiting.room(0, NOBODY), 0);
  for (let i = 0; i < most / 2 - 1; i++) waiting.take(String(i));
  t.equal(waiting.room(100, NOBODY), 0, 'no request for each block that is taken');
  waiting.take(String(most / 2 - 1));
  t.equal(waiting.room(100, NOBODY), most / 2);
  t.equal(waiting.room(200, NOBODY), most / 2 - 100, 'and is filled up then');
});

t.test('a chain that takes blocks more slowly than they come has them asked for in large pieces', async (t) => {
  const waiting = filled(0, 0);
  const perRequest = P2P_LIMITS.blocks_per_request_max;
  let [come, underWay, requests] = [0, 0, 0];
  for (let taken = 0; taken < 10 * most; taken++) {
    waiting.take(String(taken));
    for (let speed = 0; speed < 3 && underWay > 0; speed++, underWay--) waiting.add(blockOf(come++, 100), NONE);
    if (underWay > 0) continue;
    underWay = Math.min(waiting.room(0, NOBODY), perRequest);
    if (underWay > 0) requests++;
  }
  t.ok(requests < (1.5 * come) / perRequest, `${requests} requests for ${come} blocks`);
});

t.test('large blocks fill it before there are many', async (t) => {
  const waiting = filled(0, 0);
  const bytes = 1024 * 1024;
  let count = 0;
  while (waiting.room(0, NOBODY) > 0) waiting.add(blockOf(count++, bytes), NONE);
  t.ok(count < most && waiting.bytes <= mostBytes + bytes, `${count} blocks`);
  let taken = 0;
  while (waiting.room(0, NOBODY) === 0 && taken < count) waiting.take(String(taken++));
  t.ok(taken > count / 3 && taken < (2 * count) / 3, `${taken} of ${count} were taken`);
});

t.test('one sender has a share of it, and is asked again when half of that is free', async (t) => {
  const MIB = 1024 * 1024;
  const share = P2P_LIMITS.blocks_waiting_per_peer_bytes_max;
  const waiting = filled(0, 0);
  for (const number of [90, 91, 92, 93, 94, 95]) waiting.add(blockOf(number, 2 * MIB, 1), NONE);
  t.equal(waiting.bytesOf(1), share);
  t.equal(waiting.room(0, 1), 0);
  t.ok(waiting.room(0, 2) > 0, 'others are asked');
  waiting.add(blockOf(96, MIB, 1), NONE);
  t.notOk(waiting.has('96'), 'one that is needed later is not kept');
  waiting.add(blockOf(80, MIB, 1), NONE);
  t.same([waiting.has('80'), waiting.has('95')], [true, false], 'one that is needed earlier takes its place');
  waiting.add(blockOf(300, 2 * MIB, 1), () => new Set(['300']));
  t.same([waiting.has('300'), waiting.has('94')], [true, false], 'and one that is needed now');
  for (const number of [80, 90]) waiting.take(String(number));
  t.equal(waiting.room(0, 1), 0);
  waiting.take('91');
  t.ok(waiting.room(0, 1) > 0);
});

t.test('the next one finds room although it is full; what lies farthest ahead makes it', async (t) => {
  const bytes = 2 * 1024 * 1024;
  const waiting = filled(P2P_LIMITS.blocks_waiting_bytes_hard_max / bytes, bytes);
  const { count } = waiting;
  t.equal(waiting.bytes, P2P_LIMITS.blocks_waiting_bytes_hard_max);
  waiting.add(blockOf(500, bytes), NONE);
  t.notOk(waiting.has('500'));
  waiting.add(blockOf(501, bytes), () => new Set(['501']));
  t.same([waiting.has('501'), waiting.has(String(count - 1)), waiting.count], [true, false, count]);
  // Of several branches each has a next one.
  waiting.add(blockOf(502, bytes), () => new Set(['501', '502']));
  t.same([waiting.has('501'), waiting.has('502'), waiting.has(String(count - 2))], [true, true, false]);
});

t.test('what one has sent, or nobody has listed any more, is forgotten', async (t) => {
  const waiting = filled(6, 100);
  waiting.add(blockOf(7, 50, 3), NONE);
  waiting.dropOf(3);
  t.same([waiting.has('3'), waiting.has('7'), waiting.bytesOf(3), waiting.bytes], [false, false, 0, 500]);
  waiting.keep((id) => id === '5');
  t.same([waiting.count, waiting.bytes, waiting.has('5')], [1, 100, true]);
});

t.test('blocks that the chain has are bounded in bytes, and give them back', async (t) => {
  const { blocks_processing_bytes_max: bytesMax } = P2P_LIMITS;
  const given = new GivenBlocks();
  t.ok(given.hasRoomFor(blockOf(1, bytesMax + 1)), 'one alone is always given');
  for (let round = 0; round < 3; round++) {
    given.add(blockOf(1, bytesMax / 2));
    t.ok(given.hasRoomFor(blockOf(2, bytesMax / 2)));
    t.notOk(given.hasRoomFor(blockOf(2, bytesMax / 2 + 1)));
    given.add(blockOf(2, bytesMax / 2));
    given.delete('1');
    given.delete('2');
    given.delete('2');
  }
  t.equal(given.count, 0);
});
