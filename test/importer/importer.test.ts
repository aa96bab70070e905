import t, { type Test } from 'tap';
import '../../src/operations/index.js';
import { ChainError } from '../../src/base/errors.js';
import { Chain } from '../../src/chain/chain.js';
import { HEADER_ERRORS } from '../../src/chain/header.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import { encode } from '../../src/codec/binary.js';
import { READ_ERRORS } from '../../src/codec/reader.js';
import type { BlockId } from '../../src/crypto/digests.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { BORDER_ERRORS, RECEIVED_BYTES_MAX, receiveBlock } from '../../src/importer/border.js';
import { BlockImporter, IMPORTER_ERRORS, type ImporterParts } from '../../src/importer/importer.js';
import type { BlockOrigin } from '../../src/importer/origin.js';
import { SKIP } from '../../src/operations/define.js';
import { type SignedBlock, signedBlock } from '../../src/protocol/block.js';
import { BLOCK_TIME_ERRORS } from '../../src/protocol/block-time.js';
import type { Operation } from '../../src/protocol/operation-slot.js';
import { transferOperation } from '../../src/protocol/operations/transfers.js';
import { ReadBlock } from '../../src/protocol/source-block.js';
import { processedTransaction } from '../../src/protocol/transaction.js';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import { inlineVerifier } from '../../src/verify/inline.js';
import type { LookAhead } from '../../src/verify/pipeline.js';
import type { SignatureBatch, SignatureVerifier } from '../../src/verify/verify.js';
import { chainContractEngine } from '../../src/vm/chain-engine.js';
import { contractKeys } from '../../src/vm/keys.js';
import { goldenBlocks, goldenGenesis } from '../support/golden.js';
import { NETWORK } from '../support/network.js';
import { refused, refusedLater } from '../support/refused.js';
import { TestWorld } from '../support/world.js';
import { witnessKey } from '../support/world-genesis.js';

const genesis = goldenGenesis();
const blocks: SignedBlock[] = [];
for (const block of goldenBlocks()) {
  blocks.push(block);
  if (blocks.length === 40) break;
}
const at = (number: number): SignedBlock => blocks[number - 1] as SignedBlock;
const packed = (number: number): Uint8Array => encode(signedBlock, at(number));
const idOf = (number: number): BlockId => new ReadBlock(at(number)).id;
const pulled = (number: number, id?: BlockId): ReadBlock => new ReadBlock(at(number), packed(number).length, id);
/** So many blocks, whatever they hold. */
const aheadBy = (count: number): LookAhead => ({ blocks: count, transactions: 1000, bytes: 1_000_000 });
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const turn = () => new Promise((resolve) => setImmediate(resolve));
const PEER: BlockOrigin & { kind: 'peer' } = { kind: 'peer', name: '10.0.0.1:2001' };

/** Threads that work only when they are told to. */
class HeldVerifier implements SignatureVerifier {
  readonly workers = 1;
  readonly backend = 'held';
  asked = 0;
  #inner = inlineVerifier();
  #held: (() => void)[] = [];
  isHolding = true;

  async recover(batch: SignatureBatch) {
    this.asked++;
    if (this.isHolding) await new Promise<void>((resolve) => this.#held.push(resolve));
    return this.#inner.recover(batch);
  }

  /** The one that has waited longest. */
  releaseOne(): void {
    this.#held.shift()?.();
  }

  release(): void {
    this.isHolding = false;
    for (const resume of this.#held.splice(0).reverse()) resume();
  }

  async close(): Promise<void> {}
}

interface Set {
  readonly chain: Chain;
  readonly importer: BlockImporter;
  readonly told: string[];
}

function setUp(parts: Partial<ImporterParts> = {}): Set {
  const chain = new Chain({
    genesis,
    engine: chainContractEngine(contractKeys(NETWORK)),
    blocks: new MemoryBlockStore(),
  });
  const told: string[] = [];
  const importer = new BlockImporter({
    door: chain.blocks,
    network: genesis.network,
    chainId: genesis.chainId,
    verifier: inlineVerifier(),
    nowMs: () => Number.MAX_SAFE_INTEGER,
    bytesMax: () => RECEIVED_BYTES_MAX,
    onOutcome: (origin, outcome) => {
      const what = 'error' in outcome ? (outcome.error as ChainError).row.key : String(outcome.number);
      told.push(`${origin.kind} ${what}`);
    },
    ...parts,
  });
  return { chain, importer, told };
}

t.test('blocks that are sent go to the threads at once, and to the chain in their order', async (t) => {
  const verifier = new HeldVerifier();
  const { chain, importer, told } = setUp({ verifier, lookAhead: aheadBy(4) });
  const outcomes = [
    ...numbers(1, 5).map((number) => importer.import(packed(number), PEER)),
    ...numbers(6, 10).map((number) => importer.import(at(number), { kind: 'rpc' })),
  ];
  await turn();
  t.equal(verifier.asked, 3, 'as long as no more than half of what may be ahead is');
  t.equal(importer.waiting, 10);
  verifier.releaseOne();
  await outcomes[0];
  await turn();
  t.equal(verifier.asked, 5, 'then so many that four are ahead, together');
  verifier.release();
  t.same(
    (await Promise.all(outcomes)).map(({ number, isApplied, hasSwitched }) => [number, isApplied, hasSwitched]),
    numbers(1, 10).map((number) => [number, true, false]),
  );
  t.equal(chain.queries.head.number, 10);
  t.same([importer.waiting, importer.waitingBytes], [0, 0]);
  t.same(told, [...numbers(1, 5).map((n) => `peer ${n}`), ...numbers(6, 10).map((n) => `rpc ${n}`)]);
  t.equal((await outcomes[9])?.id, chain.queries.head.id);
});

t.test(
  'the threads get the next block when one has been applied, and no more transactions than are wanted',
  async (t) => {
    const verifier = new HeldVerifier();
    const { importer } = setUp({ verifier, lookAhead: aheadBy(2) });
    const sent = numbers(1, 5).map((number) => importer.import(packed(number), PEER));
    await turn();
    t.equal(verifier.asked, 2);
    verifier.releaseOne();
    await sent[0];
    await turn();
    t.equal(verifier.asked, 3, 'while the second is still with them');
    verifier.release();
    await Promise.all(sent);

    const other = new HeldVerifier();
    const narrow = setUp({ verifier: other, lookAhead: { ...aheadBy(10), transactions: 0 } });
    const waiting = numbers(1, 5).map((number) => narrow.importer.import(packed(number), PEER));
    await turn();
    t.equal(other.asked, 2, 'the first and the one behind it have room however many they hold');
    other.releaseOne();
    await waiting[0];
    await turn();
    t.equal(other.asked, 3);
    other.release();
    await Promise.all(waiting);
  },
);

t.test('threads that fail for a block whose turn has not come fail nothing else', async (t) => {
  const inner = new HeldVerifier();
  let asked = 0;
  const verifier: SignatureVerifier = {
    workers: 1,
    backend: 'failing',
    recover: (batch) => (++asked === 2 ? Promise.reject(new Error('a thread died')) : inner.recover(batch)),
    close: async () => undefined,
  };
  const { chain, importer } = setUp({ verifier, onOutcome: () => undefined });
  const sent = numbers(1, 2).map((number) => importer.import(packed(number), PEER));
  const second = t.rejects(sent[1] as Promise<unknown>, { message: 'a thread died' });
  // Nobody waits for the second yet: an unhandled rejection would end the process.
  for (let i = 0; i < 5; i++) await turn();
  inner.release();
  t.match(await sent[0], { number: 1, isApplied: true });
  await second;
  t.match(await importer.import(packed(2), PEER), { number: 2, isApplied: true });
  t.equal(chain.queries.head.number, 2);
});

t.test('blocks that are made here are told as those of others', async (t) => {
  const w = new TestWorld();
  const { importer, told } = setUp({ door: w.chain.blocks });
  const { queries } = w.chain;
  const witness = queries.scheduledWitness(1);
  const key = witnessKey(`init${witness - 1}`);
  const signer = { publicKey: key.publicKey, sign: (digest: Uint8Array) => signatureBackend().sign(digest, key) };
  const number = queries.head.number + 1;
  t.equal(importer.produce({ when: queries.slotTime(1), witness, signer }).number, number);
  let refusal: unknown;
  try {
    importer.produce({ when: queries.slotTime(1) + 1, witness, signer });
  } catch (error) {
    refusal = error;
  }
  t.ok(refusal instanceof ChainError);
  t.same(told, [`own ${number}`, `own ${(refusal as ChainError).row.key}`]);
});

t.test('what others send is looked at before anything is done with it', async (t) => {
  const verifier = new HeldVerifier();
  const seconds = at(1).timestamp;
  const { importer, told } = setUp({ verifier, nowMs: () => (seconds - 5) * 1000, bytesMax: () => 20_000 });
  const bytes = packed(1);
  await refusedLater(t, BLOCK_TIME_ERRORS.block_in_future, importer.import(bytes, PEER));
  await refusedLater(t, BORDER_ERRORS.block_bytes, importer.import(new Uint8Array(20_001), PEER));
  const long = { ...at(1), transactions: new Array(50).fill(at(1).transactions).flat() };
  await refusedLater(t, BORDER_ERRORS.block_bytes, importer.import(long, { kind: 'rpc' }), 'however it comes');
  const foreign = importer.import(bytes, PEER, 'ff'.repeat(20));
  await refusedLater(t, BORDER_ERRORS.block_other_id, foreign);
  await foreign.catch((error: ChainError) => t.ok(error.isStateless, 'nobody who looks at what they send says so'));
  for (const broken of [bytes.subarray(1), Uint8Array.of(...bytes, 0), new Uint8Array(), nested(300)]) {
    const error = await importer.import(broken, PEER).then(
      () => undefined,
      (given: unknown) => given,
    );
    t.ok(error instanceof ChainError && error.isStateless && error.kind === 'invalid', String(error));
  }
  t.equal(verifier.asked, 0);
  t.equal(importer.waiting, 0);
  t.equal(told.length, 8, 'each is told with its origin');

  const { importer: later } = setUp({ nowMs: () => (seconds - 5) * 1000 + 1 });
  const id = setUp().importer.import(bytes, PEER);
  t.match(await later.import(bytes, PEER, (await id).id), { number: 1, isApplied: true }, 'a moment later it may');
  const { importer: exact } = setUp({ bytesMax: () => bytes.length });
  t.match(await exact.import(bytes, PEER), { isApplied: true }, 'one of the largest size is taken');
});

t.test('a packed block is read as nodes of its network read it', async (t) => {
  // More operations than the decoder of current compilers takes, and fewer than that of the published binaries.
  const operation: Operation = [0, transferOperation.schema.default()];
  const many = {
    ...at(1),
    transactions: [{ ...processedTransaction.default(), operations: new Array(22_300).fill(operation) }],
  };
  const bytes = encode(signedBlock, many);
  const rules = { bytesMax: RECEIVED_BYTES_MAX, nowMs: Number.MAX_SAFE_INTEGER };
  t.equal(receiveBlock(bytes, undefined, { ...rules, decoder: 'old' }).size, bytes.length);
  refused(t, READ_ERRORS.read_too_long, () => receiveBlock(bytes, undefined, { ...rules, decoder: 'new' }));
});

t.test('a packed block that is written in another way than nodes write it is the same block', async (t) => {
  const { importer, chain } = setUp();
  const plain = packed(1);
  // In front of the witness's number stand the id before and the time.
  const witnessAt = 24;
  t.ok((plain[witnessAt] as number) < 0x80);
  const long = Uint8Array.of(
    ...plain.subarray(0, witnessAt),
    (plain[witnessAt] as number) | 0x80,
    0,
    ...plain.subarray(witnessAt + 1),
  );
  const outcome = await importer.import(long, { kind: 'peer', name: 'one' }, idOf(1));
  t.equal(outcome.id, idOf(1));
  t.equal(chain.queries.head.number, 1);
});

/** A block whose one transaction holds proposals within proposals. */
function nested(depth: number): Uint8Array {
  const head = packed(1).subarray(0, -1);
  const start = Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
  // Tag 22, fee, payer, time, one operation, which begins with a fee of its own.
  const level = [22, ...new Array(9).fill(0), 0, 0, 0, 0, 0, 1];
  return Uint8Array.from([...head, ...start, ...new Array(depth).fill(level).flat()]);
}

t.test('a sender is refused when too many wait, and then nothing has happened', async (t) => {
  await t.test('in number', async (t) => {
    const verifier = new HeldVerifier();
    const { chain, importer } = setUp({ verifier, limits: { blocks: 2, bytes: 1_000_000 } });
    const inside = [1, 2].map((number) => importer.import(packed(number), PEER));
    const third = importer.import(packed(3), PEER);
    await refusedLater(t, IMPORTER_ERRORS.importer_full, third);
    await third.catch((error: ChainError) => t.equal(error.kind, 'limit', 'nobody is to blame'));
    verifier.release();
    await Promise.all(inside);
    t.equal(chain.queries.head.number, 2);
    t.notOk(chain.queries.isKnownBlock(at(4).previous));
    t.match(await importer.import(packed(3), PEER), { number: 3, isApplied: true }, 'it comes again and is taken');
  });
  await t.test('in bytes', async (t) => {
    const verifier = new HeldVerifier();
    const { importer } = setUp({ verifier, limits: { blocks: 100, bytes: packed(1).length + packed(2).length } });
    const inside = [1, 2].map((number) => importer.import(packed(number), PEER));
    await refusedLater(t, IMPORTER_ERRORS.importer_full, importer.import(packed(3), PEER));
    t.equal(importer.waitingBytes, packed(1).length + packed(2).length);
    verifier.release();
    await Promise.all(inside);
  });
  await t.test('but one alone is always taken', async (t) => {
    const { importer } = setUp({ limits: { blocks: 1, bytes: 0 } });
    t.match(await importer.import(packed(1), PEER), { isApplied: true });
  });
});

t.test('a block that is refused is nobody else’s affair', async (t) => {
  const { chain, importer, told } = setUp();
  const forged = { ...at(2), witness_signature: new Uint8Array(65).fill(31) };
  const outcomes = [at(1), forged, at(2), at(5), at(3)].map((block) => importer.import(block, PEER));
  await Promise.allSettled(outcomes);
  t.match(told, ['peer 1', /peer (block|signature)/, 'peer 2', 'peer block_unlinkable', 'peer 3']);
  t.equal(chain.queries.head.number, 3);
  t.match(await importer.import(at(3), PEER), { isApplied: false }, 'one that is known already is no error');
});

t.test('below a checkpoint what is sent is checked, and what is read from a file is not', async (t) => {
  const forged = { ...at(2), transaction_merkle_root: 'ab'.repeat(20) };
  const withCheckpoint = () => {
    const checkpoints = new Map([[10, idOf(10)]]);
    const engine = chainContractEngine(contractKeys(NETWORK));
    const chain = new Chain({ genesis, engine, blocks: new MemoryBlockStore(), checkpoints });
    return { importer: setUp({ door: chain.blocks }).importer, read: chain.queries };
  };
  const sent = withCheckpoint();
  await sent.importer.import(at(1), PEER);
  await refusedLater(t, HEADER_ERRORS.block_merkle_root, sent.importer.import(forged, PEER));
  t.equal(sent.read.head.number, 1);
  const file = withCheckpoint();
  await file.importer.pull([pulled(1), new ReadBlock(forged)], { kind: 'file' });
  t.equal(file.read.head.number, 2);
});

t.test('what fails the machine says so, and the block can come again', async (t) => {
  const { chain, importer } = setUp();
  let isFull = true;
  const failing = new BlockImporter({
    door: {
      push: (...args) => {
        if (isFull) throw new ChainError(STORAGE_ERRORS.storage_disk_full, { path: 'blocks', reason: 'ENOSPC' });
        return chain.blocks.push(...args);
      },
      produce: chain.blocks.produce,
    },
    network: genesis.network,
    chainId: genesis.chainId,
    verifier: inlineVerifier(),
    nowMs: () => Number.MAX_SAFE_INTEGER,
    bytesMax: () => RECEIVED_BYTES_MAX,
  });
  const error = await failing.import(packed(1), PEER).catch((given: unknown) => given);
  t.ok(error instanceof ChainError && error.kind === 'environment');
  isFull = false;
  t.match(await failing.import(packed(1), PEER), { isApplied: true });
  t.equal(importer.waiting, 0);
});

t.test('who reads blocks is asked for the next when there is room for it', async (t) => {
  const { chain, importer, told } = setUp({ lookAhead: aheadBy(3) });
  let asked = 0;
  async function* source(last: number): AsyncGenerator<ReadBlock> {
    for (let number = chain.queries.head.number + 1; number <= last; number++) {
      asked++;
      yield pulled(number);
    }
  }
  let release: () => void = () => undefined;
  const pulling = importer.pull(
    source(10),
    { kind: 'file' },
    {
      after: ({ number }) => (number === 2 ? new Promise((resolve) => (release = resolve)) : undefined),
    },
  );
  for (let i = 0; i < 20; i++) await turn();
  t.equal(chain.queries.head.number, 2);
  t.ok(asked <= 2 + 3, `${asked} blocks are read`);
  release();
  await pulling;
  t.equal(chain.queries.head.number, 10);
  t.same(
    told,
    numbers(1, 10).map((number) => `file ${number}`),
  );

  await t.test('until it is told to end', async (t) => {
    const stop = new AbortController();
    await importer.pull(
      source(30),
      { kind: 'recovery' },
      {
        signal: stop.signal,
        after: ({ number }) => void (number === 15 && stop.abort()),
      },
    );
    t.equal(chain.queries.head.number, 15);
  });
  await t.test('or one is refused, which names itself', async (t) => {
    async function* broken(): AsyncGenerator<ReadBlock> {
      yield pulled(16);
      yield pulled(20);
      yield pulled(17);
    }
    const error = await importer.pull(broken(), { kind: 'file' }).catch((given: unknown) => given);
    t.match(error, {
      key: 'block_unlinkable',
      context: [{ text: 'while block 20 of the file was applied' }],
    });
    t.equal(chain.queries.head.number, 16, 'and nothing behind it is applied');
    t.same(told.slice(-2), ['file 16', 'file block_unlinkable']);
  });
});

t.test(
  'of blocks that are read, who is trusted is not verified ahead, and says which steps are left out',
  async (t) => {
    for (const isTrusted of [true, false]) {
      const verifier = new HeldVerifier();
      verifier.isHolding = false;
      const { chain } = setUp();
      const pushed: [id: string | undefined, skip: number][] = [];
      const door: ImporterParts['door'] = {
        push: (given, skip = SKIP.none) => {
          pushed.push([given.id, skip]);
          return chain.blocks.push(given, skip);
        },
        produce: chain.blocks.produce,
      };
      const { importer } = setUp({ verifier, door });
      const ids = numbers(1, 3).map(idOf);
      async function* source(): AsyncGenerator<ReadBlock> {
        for (const number of [1, 2, 3]) yield pulled(number, number === 2 ? ids[1] : undefined);
      }
      const skip = ({ timestamp }: SignedBlock): number =>
        timestamp === at(3).timestamp ? SKIP.merkleCheck : SKIP.none;
      await importer.pull(source(), { kind: 'recovery' }, { isTrusted, skip });
      t.equal(verifier.asked, isTrusted ? 0 : 3);
      t.same(
        pushed,
        ids.map((id, i) => [id, i === 2 ? SKIP.merkleCheck : SKIP.none]),
      );
    }
  },
);

t.test('others get their turn in between, however many blocks there are', async (t) => {
  for (const blocksPerTurn of [1, 10]) {
    let nowMs = 0;
    const { importer } = setUp({ monotonicMs: () => nowMs });
    let applied = 0;
    let mostAtOnce = 0;
    let isOver = false;
    const look = (): void => {
      mostAtOnce = Math.max(mostAtOnce, applied);
      applied = 0;
      if (!isOver) setImmediate(look);
    };
    setImmediate(look);
    async function* source(): AsyncGenerator<ReadBlock> {
      for (const number of numbers(1, 40)) yield pulled(number);
    }
    const after = (): undefined => {
      applied++;
      nowMs += 50 / blocksPerTurn;
    };
    await importer.pull(source(), { kind: 'file' }, { isTrusted: true, after });
    isOver = true;
    t.ok(mostAtOnce > 0 && mostAtOnce <= blocksPerTurn + 1, `${mostAtOnce} blocks in one turn`);
  }
});

t.test('also between blocks that were sent', async (t) => {
  let nowMs = 0;
  let sinceTurn = 0;
  let mostAtOnce = 0;
  let isOver = false;
  const { chain } = setUp();
  const door: ImporterParts['door'] = {
    push: (...args) => {
      mostAtOnce = Math.max(mostAtOnce, ++sinceTurn);
      nowMs += 50;
      return chain.blocks.push(...args);
    },
    produce: chain.blocks.produce,
  };
  const { importer } = setUp({ door, monotonicMs: () => nowMs });
  const look = (): void => {
    sinceTurn = 0;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await Promise.all(numbers(1, 40).map((number) => importer.import(packed(number), PEER)));
  isOver = true;
  t.ok(mostAtOnce > 0 && mostAtOnce <= 2, `${mostAtOnce} blocks in one turn`);
});

t.test('a stop finishes what is under way and refuses the rest', async (t) => {
  const verifier = new HeldVerifier();
  const { chain, importer } = setUp({ verifier });
  const sent = [1, 2, 3].map((number) => importer.import(packed(number), PEER));
  await turn();
  let isClosed = false;
  const closing = importer.close().then(() => {
    isClosed = true;
  });
  await refusedLater(t, IMPORTER_ERRORS.importer_closed, sent[1] as Promise<unknown>);
  await refusedLater(t, IMPORTER_ERRORS.importer_closed, sent[2] as Promise<unknown>);
  await refusedLater(t, IMPORTER_ERRORS.importer_closed, importer.import(packed(2), PEER));
  for (let i = 0; i < 5; i++) await turn();
  t.notOk(isClosed, 'while a block is with the threads');
  verifier.release();
  t.match(await sent[0], { number: 1, isApplied: true });
  await closing;
  t.equal(chain.queries.head.number, 1);
  t.equal(importer.waitingBytes, 0);
});

t.test('a block is had as bytes, of the chain and beside it', async (t: Test) => {
  const { chain, importer } = setUp();
  await Promise.all(numbers(1, 12).map((number) => importer.import(packed(number), PEER)));
  const { queries } = chain;
  for (const number of numbers(1, 12)) {
    const id = queries.blockIdOf(number) as string;
    t.same([queries.blockBytes(number), queries.blockBytesById(id)], [packed(number), packed(number)]);
  }
  t.same([queries.blockBytes(13), queries.blockBytesById('00'.repeat(20))], [undefined, undefined]);
  // A sibling of the head, which no log has.
  const sibling = { ...at(12), timestamp: at(12).timestamp + 3 };
  const { id, isApplied } = await importer.import(sibling, PEER);
  t.equal(isApplied, false);
  const bytes = queries.blockBytesById(id);
  t.same(bytes, encode(signedBlock, sibling));
  t.equal(queries.blockBytesById(id), bytes, 'packed once');
});
