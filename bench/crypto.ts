import { ChainError } from '../src/base/errors.js';
import { addressOfKey } from '../src/crypto/address.js';
import { merkleRoot, signatureDigest, transactionId } from '../src/crypto/digests.js';
import { ripemd160, sha224Hex, sha256, sha256Hex, sha512 } from '../src/crypto/hash.js';
import { PrivateKey } from '../src/crypto/private-key.js';
import { NULL_PUBLIC_KEY } from '../src/crypto/public-key.js';
import { type SignatureChoice, signatureBackend } from '../src/crypto/signature.js';
import { inlineVerifier } from '../src/verify/inline.js';
import { PoolVerifier } from '../src/verify/pool.js';
import type { SignatureBatch, SignatureVerifier } from '../src/verify/verify.js';
import { packBatch } from '../test/support/signature-batch.js';
import type { Ratio } from './fixtures/ratios.js';

type Print = (row: string[]) => void;

const SIZES = {
  small: { hashMs: 10, nativeItems: 500, nobleItems: 20, poolRuns: 1 },
  full: { hashMs: 500, nativeItems: 10_000, nobleItems: 400, poolRuns: 3 },
} as const;

/** How often `work` runs in a second; it is run until `milliseconds` have gone by. */
function ratePerSecond(work: () => void, milliseconds: number): number {
  for (let i = 0; i < 2000; i++) work();
  const start = performance.now();
  let runs = 0;
  while (performance.now() - start < milliseconds) {
    for (let i = 0; i < 100; i++) work();
    runs += 100;
  }
  return (runs * 1000) / (performance.now() - start);
}

function show(rate: number): string {
  return Math.round(rate).toLocaleString('en-US');
}

/** Different digests and signatures of a few keys. */
function makeBatch(count: number, choice: SignatureChoice = 'auto'): SignatureBatch {
  const backend = signatureBackend(choice);
  const keys = Array.from({ length: 8 }, (_, i) => PrivateKey.fromSeed(`bench-key-${i}`));
  return packBatch(
    Array.from({ length: count }, (_, i) => {
      const digest = sha256(Uint8Array.of(i, i >> 8, i >> 16));
      return { digest, signature: backend.sign(digest, keys[i % keys.length] as PrivateKey) };
    }),
  );
}

function loads(choice: SignatureChoice): boolean {
  try {
    signatureBackend(choice);
    return true;
  } catch (error) {
    if (error instanceof ChainError) return false;
    throw error;
  }
}

async function recoverRate(verifier: SignatureVerifier, batch: SignatureBatch, count: number): Promise<number> {
  const start = performance.now();
  const keys = await verifier.recover(batch);
  keys.keyAt(count - 1);
  return (count * 1000) / (performance.now() - start);
}

function benchHashes(print: Print, milliseconds: number): void {
  const transfer = new Uint8Array(120).fill(7);
  const chainId = '11'.repeat(32);
  const leaves = Array.from({ length: 500 }, (_, i) => sha256(Uint8Array.of(i, i >> 8)));
  let unknown = 1;
  const kilobytes = new Uint8Array(10_000).fill(7);
  const cases: [string, () => void][] = [
    ['sha256, 120 bytes', () => sha256(transfer)],
    ['sha256 as hex, 120 bytes', () => sha256Hex(transfer)],
    ['sha224 as hex, 120 bytes', () => sha224Hex(transfer)],
    ['sha512, 120 bytes', () => sha512(transfer)],
    ['ripemd160, 120 bytes', () => ripemd160(transfer)],
    ['sha256, 10,000 bytes', () => sha256(kilobytes)],
    ['transaction id, 120 bytes', () => transactionId(transfer)],
    ['signature digest, 120 bytes', () => signatureDigest(chainId, transfer)],
    ['merkle root of 500 leaves', () => merkleRoot(leaves)],
    ['address of a key, known', () => addressOfKey(NULL_PUBLIC_KEY)],
    ['address of a key, new', () => addressOfKey((unknown++).toString(16).padStart(66, '0'))],
  ];
  for (const [name, work] of cases) print([name, show(ratePerSecond(work, milliseconds)), '/s']);
}

export async function run(print: Print, size: 'small' | 'full', ratio: Ratio): Promise<void> {
  const { hashMs, nativeItems, nobleItems, poolRuns } = SIZES[size];
  benchHashes(print, hashMs);

  const digest = sha256(new Uint8Array(1));
  const key = PrivateKey.fromSeed('bench');
  const choices = (['system', 'native', 'noble'] as const).filter(loads);
  const inlineRates = new Map<string, number>();
  for (const choice of choices) {
    const count = choice === 'noble' ? nobleItems : nativeItems;
    const backend = signatureBackend(choice);
    const signs = Math.max(20, count >> 4);
    const start = performance.now();
    for (let i = 0; i < signs; i++) {
      digest[0] = i;
      backend.sign(digest, key);
    }
    print([`sign, ${choice}`, show((signs * 1000) / (performance.now() - start)), '/s']);

    const batch = makeBatch(count);
    // In turns, the best of each: a machine that runs slower for some seconds then slows down all of them.
    const pools = [1, 2].map((workers) => new PoolVerifier({ workers, choice }));
    const rates = [inlineVerifier(choice), ...pools].map((verifier) => ({ verifier, best: 0 }));
    for (const { verifier } of rates) await recoverRate(verifier, batch, count);
    for (let i = 0; i < poolRuns; i++) {
      for (const rate of rates) rate.best = Math.max(rate.best, await recoverRate(rate.verifier, batch, count));
    }
    for (const pool of pools) await pool.close();
    const [single, ...pooled] = rates.map(({ best }) => best) as [number, ...number[]];
    print([`recover inline, ${choice}`, show(single), '/s']);
    inlineRates.set(choice, single);
    for (const [index, rate] of pooled.entries()) {
      const workers = index + 1;
      const share = rate / (workers * single);
      const name = `recover pool of ${workers}, ${choice}`;
      print([name, show(rate), `/s, ${Math.round(100 * share)} % of ${workers} x inline`]);
      ratio(name, share);
    }
  }
  const [system, native] = [inlineRates.get('system'), inlineRates.get('native')];
  if (system !== undefined && native !== undefined) ratio('the library of the system to that of npm', system / native);
}
