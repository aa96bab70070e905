import t from 'tap';
import { toHex } from '../../../src/base/bytes.js';
import { sha256 } from '../../../src/crypto/hash.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { signRepeatably } from '../../../src/crypto/repeatable-signature.js';
import { isCanonical, SIGNATURE_ERRORS, signatureBackend } from '../../../src/crypto/signature.js';
import { refused } from '../../support/refused.js';
import { recordedCalls } from '../../support/wallet-vectors.js';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

t.test('signatures of the reference come out equal', (t) => {
  const calls = recordedCalls().filter(({ request, result }) => request?.method === 'sign_string' && result);
  t.ok(calls.length >= 4);
  for (const { request, result } of calls) {
    const [wif, what, isPacked] = request?.params as [string, string, boolean];
    const bytes = text(what);
    const digest = sha256(isPacked ? Uint8Array.of(bytes.length, ...bytes) : bytes);
    t.equal(toHex(signRepeatably(digest, PrivateKey.fromWif(wif))), result, what);
  }
  t.end();
});

t.test('every signature is canonical and gives its key back', (t) => {
  for (let n = 0; n < 60; n++) {
    const key = PrivateKey.fromSeed(`signer ${n}`);
    const digest = sha256(text(`message ${n}`));
    const signature = signRepeatably(digest, key);
    t.ok(isCanonical(signature));
    t.equal(signatureBackend().recover(digest, signature), key.publicKey);
    t.same(signRepeatably(digest, key), signature, 'again the same');
  }
  refused(t, SIGNATURE_ERRORS.digest_length_wrong, () => signRepeatably(text('x'), PrivateKey.fromSeed('x')));
  t.end();
});
