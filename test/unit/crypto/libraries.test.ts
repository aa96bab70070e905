import t from 'tap';
import { fromHex, toHex } from '../../../src/base/bytes.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { SIGNATURE_BYTES, type SignatureBackend, signatureBackend } from '../../../src/crypto/signature.js';
import { SeededRandom } from '../../sim/random.js';

/**
 * The curve libraries give the same answers, whatever they are asked: a node with another one must not leave the chain.
 * `npm run fuzz -- curve --rounds 1000000 --seed 7` asks more often.
 */

const ROUNDS = Number(process.env.CURVE_FUZZ_ROUNDS ?? 400);
const SEED = Number(process.env.CURVE_FUZZ_SEED ?? 7);
const DIFFERENCES_MAX = 10;

const backends = (['system', 'native', 'noble'] as const).map((name) => signatureBackend(name));
const draw = new SeededRandom(SEED);

const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => draw.below(256));

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const FIELD = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn;
const to32 = (value: bigint): Uint8Array => fromHex(value.toString(16).padStart(64, '0'));

/** Where a library could be off by one. */
const EDGES = [
  ...[0n, 1n, 2n, 5n, ORDER / 2n, ORDER / 2n + 1n, ORDER - 1n, ORDER, ORDER + 1n, FIELD - 1n, FIELD],
  ...[FIELD - ORDER - 1n, FIELD - ORDER, FIELD - ORDER + 1n, 1n << 255n, (1n << 256n) - 1n],
].map(to32);

interface Question {
  readonly kind: string;
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
}

/** Good signatures are made once: making them is not what is compared here. */
const KNOWN = Array.from({ length: 50 }, () => {
  const digest = bytes(32);
  return { digest, signature: backends[0]?.sign(digest, PrivateKey.fromBytes(bytes(32))) as Uint8Array };
});

const KINDS: Readonly<Record<string, () => Omit<Question, 'kind'>>> = {
  good: () => draw.pick(KNOWN),
  'another digest': () => ({ ...draw.pick(KNOWN), digest: bytes(32) }),
  'an edge as digest': () => ({ ...draw.pick(KNOWN), digest: draw.pick(EDGES) }),
  'another header': () => changed((signature) => signature.fill(draw.below(256), 0, 1)),
  'a bit': () =>
    changed((signature) => {
      const at = draw.below(SIGNATURE_BYTES);
      signature[at] = (signature[at] as number) ^ (1 << draw.below(8));
    }),
  'r at an edge': () => changed((signature) => signature.set(draw.pick(EDGES), 1)),
  's at an edge': () => changed((signature) => signature.set(draw.pick(EDGES), 33)),
  'both at an edge': () =>
    changed((signature) => {
      signature[0] = draw.between(27, 34);
      signature.set(draw.pick(EDGES), 1);
      signature.set(draw.pick(EDGES), 33);
    }),
  'small r, as of x beyond the order': () =>
    changed((signature) => {
      signature[0] = draw.between(27, 34);
      signature.set(to32(BigInt(draw.below(1 << 20))), 1);
    }),
  wild: () => ({
    digest: bytes(32),
    signature: changed((signature) => signature.set(bytes(SIGNATURE_BYTES - 1), 1)).signature,
  }),
  'wild, headers too': () => ({ digest: bytes(32), signature: bytes(SIGNATURE_BYTES) }),
};

function changed(change: (signature: Uint8Array) => void): Omit<Question, 'kind'> {
  const { digest, signature } = draw.pick(KNOWN);
  const copy = Uint8Array.from(signature);
  change(copy);
  return { digest, signature: copy };
}

function outcome(backend: SignatureBackend, { digest, signature }: Question): string {
  try {
    return backend.recover(digest, signature, 'any');
  } catch (error) {
    return (error as Error).message;
  }
}

t.test(`${ROUNDS} signatures, good and malformed`, async (t) => {
  const names = Object.keys(KINDS);
  const keys = new Map<string, number>();
  let differences = 0;
  for (let i = 0; i < ROUNDS && differences < DIFFERENCES_MAX; i++) {
    const kind = names[i % names.length] as string;
    const question: Question = { kind, ...(KINDS[kind] as () => Omit<Question, 'kind'>)() };
    const [first, ...others] = backends.map((backend) => outcome(backend, question)) as [string, ...string[]];
    if (first.length === 66) keys.set(kind, (keys.get(kind) ?? 0) + 1);
    if (others.every((other) => other === first)) continue;
    differences++;
    t.same(others, [first], `${kind}: digest ${toHex(question.digest)}, signature ${toHex(question.signature)}`);
  }
  t.equal(differences, 0, `seed ${SEED}; keys found: ${JSON.stringify(Object.fromEntries(keys))}`);
  t.ok(keys.get('good') ?? 0, 'good ones have keys');
  t.ok((keys.get('a bit') ?? 0) > 0, 'some malformed ones, too');
});

t.test('a signature has one form, whoever makes it', async (t) => {
  for (let i = 0; i < 12; i++) {
    const key = PrivateKey.fromBytes(bytes(32));
    const digest = bytes(32);
    const [first, ...others] = backends.map((backend) => toHex(backend.sign(digest, key))) as [string, ...string[]];
    for (const other of others) t.equal(other, first);
    t.equal(outcome(backends[0] as SignatureBackend, { kind: '', digest, signature: fromHex(first) }), key.publicKey);
  }
});

t.test('the same common point, and none for what is no point', async (t) => {
  const shared = (point: Uint8Array, key: PrivateKey): (string | undefined)[] =>
    backends.map(({ curve }) => {
      const x = new Uint8Array(32);
      return curve.sharedX(point, key.secret(), x) ? toHex(x) : undefined;
    });
  for (let i = 0; i < 20; i++) {
    const [own, other] = [PrivateKey.fromBytes(bytes(32)), PrivateKey.fromBytes(bytes(32))];
    const [first, ...others] = shared(fromHex(other.publicKey), own);
    t.equal(first?.length, 64);
    for (const another of others) t.equal(another, first);
  }
  const own = PrivateKey.fromSeed('own');
  for (const bad of ['00'.repeat(33), `02${'ff'.repeat(32)}`, `05${'11'.repeat(32)}`, `02${'00'.repeat(31)}05`]) {
    t.same(shared(fromHex(bad), own), [undefined, undefined, undefined], bad);
  }
});

t.test('the same points', async (t) => {
  let points = 0;
  for (let i = 0; i < 200; i++) {
    const key = bytes(33);
    key[0] = i % 8;
    const [first, ...others] = backends.map(({ curve }) => {
      const long = new Uint8Array(65);
      return curve.uncompress(key, long) ? toHex(long) : 'none';
    }) as [string, ...string[]];
    for (const other of others) t.equal(other, first, toHex(key));
    if (first === 'none') continue;
    points++;
    t.equal(Number.parseInt(first.slice(-2), 16) % 2, i % 2, 'the first byte says which of the two');
  }
  t.ok(points > 10 && points < 50, `${points} of those that begin with 02 or 03`);
});
