import t from 'tap';
import { PacedTraffic, TURN_MS } from '../../../src/p2p/paced-traffic.js';

/** Three reads of this length are more than a turn has. */
const READ_MS = TURN_MS / 2 - 1;

class World {
  nowMs = 0;
  readonly read: string[] = [];
  readonly paused = new Set<string>();
  readonly #turns: (() => void)[] = [];
  readonly traffic = new PacedTraffic(
    () => this.nowMs,
    (run) => this.#turns.push(run),
  );

  /** What a connection sends is told with its name. */
  open(name: string): { came(byte: number): void; ended(): void } {
    const source = { pause: () => this.paused.add(name), resume: () => this.paused.delete(name) };
    const stream = this.traffic.stream(source, ([byte]) => {
      this.read.push(`${name}${byte}`);
      this.nowMs += READ_MS;
    });
    return { came: (byte) => stream.came(Uint8Array.of(byte)), ended: () => stream.ended() };
  }

  get turnsAsked(): number {
    return this.#turns.length;
  }

  nextTurn(): string[] {
    this.read.length = 0;
    this.#turns.shift()?.();
    return [...this.read];
  }
}

t.test('what fits into a turn is read at once, and costs one question for the next turn', (t) => {
  const world = new World();
  const one = world.open('a');
  one.came(1);
  one.came(2);
  t.same(world.read, ['a1', 'a2']);
  t.equal(world.turnsAsked, 1);
  t.equal(world.paused.size, 0);
  t.same(world.nextTurn(), []);
  t.equal(world.turnsAsked, 0, 'nothing runs while nothing comes');
  one.came(3);
  t.same(world.read, ['a3']);
  t.end();
});

t.test('beyond it connections are paused and read in turn', (t) => {
  const world = new World();
  const [a, b, c] = ['a', 'b', 'c'].map((name) => world.open(name)) as [Line, Line, Line];
  for (const byte of [1, 2, 3, 4, 5]) a.came(byte);
  b.came(1);
  c.came(1);
  t.same(world.read, ['a1', 'a2', 'a3'], 'the turn is over when its time is');
  t.same([...world.paused], ['a', 'b', 'c']);
  t.equal(world.traffic.waiting, 3);
  t.same(world.nextTurn(), ['a4', 'b1', 'c1'], 'the one that sent most waits like the others');
  t.same([...world.paused], ['a']);
  b.came(2);
  t.same(world.read, ['a4', 'b1', 'c1'], 'this turn is over too');
  t.same(world.nextTurn(), ['a5', 'b2']);
  t.equal(world.paused.size, 0);
  t.equal(world.traffic.waiting, 0);
  c.came(2);
  t.same(world.read, ['a5', 'b2', 'c2'], 'and what is left of its time may be used');
  t.end();
});

t.test('who comes while others wait is behind them', (t) => {
  const world = new World();
  const [a, b] = ['a', 'b'].map((name) => world.open(name)) as [Line, Line];
  for (const byte of [1, 2, 3, 4, 5, 6, 7, 8]) a.came(byte);
  t.same(world.nextTurn(), ['a4', 'a5', 'a6']);
  b.came(1);
  t.same(world.nextTurn(), ['a7', 'b1', 'a8']);
  t.end();
});

t.test('what a connection said before its end is read before it', (t) => {
  const world = new World();
  const one = world.open('a');
  for (const byte of [1, 2, 3, 4, 5]) one.came(byte);
  one.ended();
  t.same(world.read, ['a1', 'a2', 'a3', 'a4', 'a5']);
  t.equal(world.traffic.waiting, 0);
  t.same(world.nextTurn(), []);
  t.end();
});

t.test('whoever takes what it is given at once gets more in another turn, for half of its time', (t) => {
  const world = new World();
  const given: number[] = [];
  // As a socket that has room for everything: each message is taken as soon as it is written.
  const give = (): void => {
    given.push(world.nowMs);
    world.nowMs += READ_MS;
    world.traffic.taken(give);
  };
  world.traffic.taken(give);
  world.traffic.taken(give);
  world.traffic.taken(give);
  t.same(given, [], 'not in this turn');
  const reader = world.open('a');
  for (const byte of [1, 2, 3, 4]) reader.came(byte);
  t.same(world.read, ['a1', 'a2', 'a3']);
  t.same(world.nextTurn(), ['a4'], 'there is time left for what comes');
  t.equal(given.length, 2);
  for (let turn = 0; turn < 10; turn++) world.nextTurn();
  t.equal(given.length, 22, 'two in each turn, and it goes on');
  t.end();
});

type Line = ReturnType<World['open']>;
