import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Point } from '@noble/secp256k1';
import t, { type Test } from 'tap';
import { concatBytes, fromHex, toHex } from '../../../src/base/bytes.js';
import type { CurveBackend } from '../../../src/crypto/curve-backend.js';
import { signatureDigest } from '../../../src/crypto/digests.js';
import { sha256 } from '../../../src/crypto/hash.js';
import { loadNativeBackend } from '../../../src/crypto/native-secp256k1.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { publicKeyToText } from '../../../src/crypto/public-key.js';
import {
  chooseSignatureBackend,
  fasterLibraryMissing,
  isCanonical,
  type LoadedBackend,
  pickSignatureBackend,
  SIGNATURE_ERRORS,
  SignatureBackend,
  signatureBackend,
  tested,
} from '../../../src/crypto/signature.js';
import { loadSystemBackend } from '../../../src/crypto/system-secp256k1.js';
import { NETWORK } from '../../support/network.js';
import { refused } from '../../support/refused.js';
import { readVectors } from '../../support/vectors.js';

interface ExchangeVectors {
  keys: { name: string; seed: string; wif: string; public_text: string }[];
  requests: { name: string; signer: string; preimage_hex: string; digest_hex: string; signature_hex: string }[];
  texts: { signer: string; text: string; signature_hex: string }[];
  transactions: {
    name: string;
    chain_id: string;
    unsigned_hex: string;
    signature_digest_hex: string;
    signature_hex: string;
    signer_text: string;
  }[];
  public_traffic: {
    chain_id: string;
    unsigned_hex: string;
    transaction_id: string;
    request_preimage_hex: string;
    request_signature_hex: string;
    request_buyer_text: string;
    signature_hex?: string;
    signer_text: string;
  }[];
}

const protocol = readVectors<{
  transactions: {
    name: string;
    signature_digest_hex: string;
    tx: { signatures: string[] };
    signers: string[];
    recovered_public_keys: string[];
  }[];
  blocks: {
    header_digest_sha256_hex: string;
    recovered_signing_key: string;
    published_block: { witness_signature: string };
  }[];
  proxy_transfer_request: { digest_sha256_hex: string; signature_hex: string; recovered_public: string };
}>('protocol.json');
const exchange = readVectors<ExchangeVectors>('exchange.json');

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const key = PrivateKey.fromSeed('signature test');
const digest = sha256(Uint8Array.of(1, 2, 3));
const to32 = (value: bigint) => fromHex(value.toString(16).padStart(64, '0'));
const assemble = (header: number, r: bigint, s: bigint) => concatBytes(Uint8Array.of(header), to32(r), to32(s));

// This machine has all of them: were one missing, a part of this file would be silent.
const backends = (['system', 'native', 'noble'] as const).map((name) => signatureBackend(name));

/** What they say, where they say the same. */
function agreed(t: Test, what: string, say: (backend: SignatureBackend) => string): string {
  const [first, ...others] = backends.map((backend) => {
    try {
      return say(backend);
    } catch (error) {
      return (error as Error).message;
    }
  }) as [string, ...string[]];
  t.same(new Set(others), new Set([first]), what);
  return first;
}

for (const backend of backends) {
  t.test(`${backend.name}: published signatures`, async (t) => {
    const expectKey = (digestHex: string, signatureHex: string, text: string, what: string) =>
      t.equal(
        publicKeyToText(backend.recover(fromHex(digestHex), fromHex(signatureHex)), NETWORK.keyPrefix),
        text,
        what,
      );

    for (const tx of protocol.transactions) {
      tx.tx.signatures.forEach((signature, i) => {
        expectKey(tx.signature_digest_hex, signature, tx.recovered_public_keys[i] as string, tx.name);
      });
      for (const wif of tx.signers) {
        const signer = PrivateKey.fromWif(wif);
        const made = backend.sign(fromHex(tx.signature_digest_hex), signer);
        t.equal(backend.recover(fromHex(tx.signature_digest_hex), made), signer.publicKey, 'ours recovers too');
      }
    }
    for (const block of protocol.blocks) {
      const { witness_signature: signature } = block.published_block;
      expectKey(block.header_digest_sha256_hex, signature, block.recovered_signing_key, 'witness');
    }
    const request = protocol.proxy_transfer_request;
    expectKey(request.digest_sha256_hex, request.signature_hex, request.recovered_public, 'proxy request');
  });

  t.test(`${backend.name}: signatures of the data exchange`, async (t) => {
    const textOf = (name: string) => exchange.keys.find((entry) => entry.name === name)?.public_text;
    const recovered = (digestBytes: Uint8Array, signature: string) =>
      publicKeyToText(backend.recover(digestBytes, fromHex(signature)), NETWORK.keyPrefix);

    for (const entry of exchange.keys) {
      const own = PrivateKey.fromSeed(entry.seed);
      t.equal(own.toWif(), entry.wif);
      t.equal(publicKeyToText(own.publicKey, NETWORK.keyPrefix), entry.public_text);
    }
    for (const request of exchange.requests) {
      const requestDigest = sha256(fromHex(request.preimage_hex));
      t.equal(toHex(requestDigest), request.digest_hex, request.name);
      t.equal(recovered(requestDigest, request.signature_hex), textOf(request.signer));
    }
    for (const { signer, text, signature_hex } of exchange.texts) {
      t.equal(recovered(sha256(new TextEncoder().encode(text)), signature_hex), textOf(signer), text);
    }
    for (const tx of exchange.transactions) {
      const txDigest = signatureDigest(tx.chain_id, fromHex(tx.unsigned_hex));
      t.equal(toHex(txDigest), tx.signature_digest_hex, tx.name);
      t.equal(recovered(txDigest, tx.signature_hex), tx.signer_text);
    }
    for (const tx of exchange.public_traffic) {
      const requestDigest = sha256(fromHex(tx.request_preimage_hex));
      t.equal(recovered(requestDigest, tx.request_signature_hex), tx.request_buyer_text, tx.transaction_id);
      if (tx.signature_hex === undefined) continue;
      const txDigest = signatureDigest(tx.chain_id, fromHex(tx.unsigned_hex));
      t.equal(tx.signature_hex.slice(0, 2), '1b', 'a header without the mark of a compressed key');
      t.equal(recovered(txDigest, tx.signature_hex), tx.signer_text);
    }
  });

  t.test(`${backend.name}: header bytes`, async (t) => {
    const good = backend.sign(digest, key);
    const id = ((good[0] as number) - 27) & 3;
    for (let header = 0; header < 256; header++) {
      const other = Uint8Array.from(good);
      other[0] = header;
      if (header < 27 || header > 34) {
        refused(t, SIGNATURE_ERRORS.signature_header_invalid, () => backend.recover(digest, other), `header ${header}`);
      } else if (((header - 27) & 3) === id) {
        t.equal(backend.recover(digest, other), key.publicKey, `header ${header} means the same`);
      }
    }
    const flipped = Uint8Array.from(good);
    flipped[0] = 31 + (id ^ 1);
    t.not(backend.recover(digest, flipped), key.publicKey, 'the other parity is another key');
  });

  t.test(`${backend.name}: what cannot be recovered`, async (t) => {
    const sizes: [Uint8Array, Uint8Array][] = [
      [digest, new Uint8Array(0)],
      [digest, new Uint8Array(64)],
      [digest, new Uint8Array(66)],
    ];
    for (const [d, s] of sizes) refused(t, SIGNATURE_ERRORS.signature_length_wrong, () => backend.recover(d, s));
    const good = backend.sign(digest, key);
    for (const size of [0, 31, 33]) {
      refused(t, SIGNATURE_ERRORS.digest_length_wrong, () => backend.recover(new Uint8Array(size), good));
      refused(t, SIGNATURE_ERRORS.digest_length_wrong, () => backend.sign(new Uint8Array(size), key));
    }
    // Out of range or off the curve. Most of these are not canonical either, so the wider rule is asked.
    const one = 1n << 250n;
    const bad: [string, number, bigint, bigint][] = [
      ['r = 0', 31, 0n, one],
      ['s = 0', 31, one, 0n],
      ['r = n', 31, ORDER, one],
      ['s = n', 31, one, ORDER],
      ['r above n', 31, ORDER + 5n, one],
      ['r + n outside the field', 33, one, one],
      ['no point has this x', 31, 5n, one],
    ];
    for (const [what, header, r, s] of bad) {
      const signature = assemble(header, r, s);
      refused(t, SIGNATURE_ERRORS.signature_unrecoverable, () => backend.recover(digest, signature, 'any'), what);
    }
    // s·R = m·G: the key would be the point at infinity.
    const infinity = assemble(31 + Number(Point.BASE.multiply(7n).toAffine().y & 1n), Point.BASE.multiply(7n).x, 3n);
    const product = to32((3n * 7n) % ORDER);
    refused(t, SIGNATURE_ERRORS.signature_unrecoverable, () => backend.recover(product, infinity, 'any'), 'infinity');
    let tried = false;
    for (let x = 1n << 254n; !tried; x++) {
      const signature = assemble(31, x, one | (1n << 254n));
      if (!isCanonical(signature)) continue;
      try {
        backend.recover(digest, signature);
      } catch {
        refused(t, SIGNATURE_ERRORS.signature_unrecoverable, () => backend.recover(digest, signature), 'canonical');
        tried = true;
      }
    }
  });

  t.test(`${backend.name}: the canonical rule`, async (t) => {
    const small = 1n << 246n;
    const large = 1n << 255n;
    const fine = 1n << 250n;
    const cases: [string, bigint, bigint][] = [
      ['r with its highest bit', large, fine],
      ['s with its highest bit', fine, large],
      ['r with a zero byte too many', small, fine],
      ['s with a zero byte too many', fine, small],
    ];
    for (const [what, r, s] of cases) {
      const signature = assemble(31, r, s);
      t.notOk(isCanonical(signature), what);
      refused(t, SIGNATURE_ERRORS.signature_not_canonical, () => backend.recover(digest, signature), what);
    }
    t.ok(isCanonical(assemble(31, fine, fine)));
    t.ok(isCanonical(assemble(31, 1n << 247n, 1n << 247n)), 'a zero byte is needed before a high bit');
    // A high s is the same signature with the other parity; texts outside the chain may carry it.
    const good = backend.sign(digest, key);
    const s = ORDER - BigInt(`0x${toHex(good.subarray(33))}`);
    const r = BigInt(`0x${toHex(good.subarray(1, 33))}`);
    const high = assemble(31 + ((((good[0] as number) - 31) ^ 1) & 3), r, s);
    refused(t, SIGNATURE_ERRORS.signature_not_canonical, () => backend.recover(digest, high));
    t.equal(backend.recover(digest, high, 'any'), key.publicKey);
  });
}

t.test('the libraries agree where it is tight', async (t) => {
  const r = Point.BASE.multiply(12345n).x;
  const cases: [string, Uint8Array, bigint][] = [
    // Above half the order, yet below 2^255: canonical by the chain's rule without being low.
    ['s just above half the order', digest, ORDER / 2n + 5n],
    ['largest canonical s', digest, (1n << 255n) - 1n],
    ['digest of zeros', new Uint8Array(32), 1n << 250n],
    ['digest equal to the order', to32(ORDER), 1n << 250n],
    ['digest above the order', new Uint8Array(32).fill(255), 1n << 250n],
    ['s = 1', digest, 1n],
  ];
  for (const [what, tightDigest, s] of cases) {
    for (const header of [31, 32]) {
      const signature = assemble(header, r, s);
      agreed(t, what, (backend) => backend.recover(tightDigest, signature, 'any'));
    }
  }
  // Recovery ids 2 and 3 mean x = r + n, which only a tiny r allows. Find one that is on the curve.
  let found = 0;
  for (let tiny = 1n; found < 4; tiny++) {
    for (const header of [33, 34]) {
      const signature = assemble(header, tiny, 1n << 250n);
      const answer = agreed(t, `r = ${tiny} + n`, (backend) => backend.recover(digest, signature, 'any'));
      if (answer.length === 66) found++;
    }
  }
});

t.test('a signer goes on to other nonces until the signature is canonical', async (t) => {
  const seen: (string | undefined)[] = [];
  const made = assemble(0, 1n << 250n, 1n << 250n).subarray(1);
  const backend = new SignatureBackend({
    name: 'noble',
    sign(_digest, _secret, extra, output) {
      seen.push(extra === undefined ? undefined : toHex(extra).slice(0, 4));
      output.set(made);
      if (seen.length < 300) output[0] = 0x80;
      return 1;
    },
    recover: () => false,
    multiplyAdd: () => false,
    sharedX: () => false,
    uncompress: () => false,
  });
  const signature = backend.sign(digest, key);
  t.equal(signature[0], 32);
  t.equal(seen.length, 300);
  t.same([seen[0], seen[1], seen[299]], [undefined, '0100', '2b01'], 'the plain nonce first, then counted ones');
});

t.test('without a library', async (t) => {
  t.equal(loadNativeBackend('no-such-package'), undefined, 'its absence is no error');
  const noble = signatureBackend('noble');
  const nothing = (name: string): LoadedBackend => (name === 'noble' ? noble : { missing: 'it is away' });
  t.equal(pickSignatureBackend('auto', nothing), noble);
  t.equal(pickSignatureBackend('noble', nothing), noble);
  for (const name of ['native', 'system'] as const) {
    refused(t, SIGNATURE_ERRORS.signature_backend_missing, () => pickSignatureBackend(name, nothing));
  }
  const native = signatureBackend('native');
  const older = (name: string): LoadedBackend => (name === 'native' ? native : nothing(name));
  t.equal(pickSignatureBackend('auto', older), native, 'the next best');
});

t.test('the choice is visible', async (t) => {
  t.equal(signatureBackend().name, 'system', 'auto takes the library of the system where it loads');
  t.equal(chooseSignatureBackend('noble').name, 'noble');
  t.equal(signatureBackend().name, 'noble');
  t.equal(chooseSignatureBackend('auto').name, 'system');
  t.equal(signatureBackend('native'), signatureBackend('native'), 'loaded once');
  t.equal(fasterLibraryMissing(), undefined);
  t.match(signatureBackend('system').version, /^libsecp256k1\.so\.\d+\.\d+\.\d+$/);
});

t.test('a library that computes wrongly is not used', async (t) => {
  const { curve } = signatureBackend('noble');
  t.ok(tested(curve) instanceof SignatureBackend);
  const wrong: Readonly<Record<string, CurveBackend>> = {
    sign: { ...curve, sign: (...all) => curve.sign(...all) ^ 1 },
    recover: { ...curve, recover: (signature, _id, ...all) => curve.recover(signature, 0, ...all) },
    multiplyAdd: { ...curve, multiplyAdd: (point, one, other, out) => curve.multiplyAdd(point, other, one, out) },
    sharedX: { ...curve, sharedX: () => true },
    uncompress: { ...curve, uncompress: () => false },
  };
  for (const [name, broken] of Object.entries(wrong)) {
    t.same(tested(broken), { missing: `its ${name} gives wrong results` });
  }
});

t.test('the library of the system is loaded from where only the system writes', async (t) => {
  const found = loadSystemBackend();
  t.ok('curve' in found);
  const away = { missing: 'the system has no libsecp256k1' };
  t.same(loadSystemBackend({ folders: [] }), away);
  t.same(loadSystemBackend({ folders: ['/no/such/folder'] }), away, 'another system has other folders');
  t.same(loadSystemBackend({ owner: 4_000_000 }), away, 'it belongs to somebody else');
  t.same(loadSystemBackend({ caller: 'no-such-package' }), { missing: 'the package no-such-package is not installed' });

  const folder = t.testdir({ 'libsecp256k1.so.1': 'no library' });
  const owner = statSync(folder).uid;
  const own = { folders: [folder], owner };
  chmodSync(folder, 0o755);
  chmodSync(join(folder, 'libsecp256k1.so.1'), 0o644);
  t.match(loadSystemBackend(own), { missing: /libsecp256k1\.so\.1 does not load: / });
  chmodSync(join(folder, 'libsecp256k1.so.1'), 0o666);
  t.same(loadSystemBackend(own), away, 'others may write into it');
  chmodSync(join(folder, 'libsecp256k1.so.1'), 0o644);
  chmodSync(folder, 0o777);
  t.same(loadSystemBackend(own), away, 'others may put another one in its place');
});
