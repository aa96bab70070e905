import t from 'tap';
import { fromHex, toHex } from '../../../src/base/bytes.js';
import { decode, encode } from '../../../src/codec/binary.js';
import type { Json } from '../../../src/codec/json.js';
import { signatureBackend } from '../../../src/crypto/signature.js';
import { abiDef } from '../../../src/protocol/abi.js';
import { findAction } from '../../../src/protocol/find-action.js';
import { publicKey } from '../../../src/protocol/keys.js';
import {
  contractName,
  NAME_ERRORS,
  nameFromText,
  nameFromTextLenient,
  nameToText,
} from '../../../src/protocol/name.js';
import { proxyRequestDigest, proxyTransferParams } from '../../../src/protocol/proxy-transfer.js';
import { NETWORK } from '../../support/network.js';
import { refused } from '../../support/refused.js';
import { readVectors } from '../../support/vectors.js';

interface Vectors {
  readonly names: readonly { name: string; uint64_decimal: string; packed_hex: string; back: string }[];
  readonly proxy_transfer_request: {
    readonly params_with_empty_signatures: Json;
    readonly digest_sha256_hex: string;
    readonly signed_bytes_hex: string;
    readonly signature_hex: string;
    readonly recovered_public: string;
  };
}

const vectors = readVectors<Vectors>('protocol.json');

t.test('names', (t) => {
  for (const { name, uint64_decimal, packed_hex, back } of vectors.names) {
    const value = nameFromText(name);
    t.equal(value.toString(), uint64_decimal, name);
    t.equal(toHex(encode(contractName, value)), packed_hex, `${name} packed`);
    t.equal(nameToText(decode(contractName, fromHex(packed_hex))), back, `${name} back`);
  }
  t.equal(nameFromText(''), 0n);
  t.equal(nameToText(0n), '');
  t.end();
});

t.test('texts that would read differently are refused, the lenient form takes them', (t) => {
  refused(t, NAME_ERRORS.name_too_long, () => nameFromText('abcdefghijklmn'));
  // The thirteenth symbol has four bits, so z becomes j.
  for (const text of ['Upper', 'dot.', 'under_score', '678', 'abcdefghijklz']) {
    refused(t, NAME_ERRORS.name_not_normalized, () => nameFromText(text), text);
  }
  t.equal(nameToText(nameFromTextLenient('abcdefghijklz')), 'abcdefghijklj');
  t.equal(nameFromTextLenient('abcdefghijklmnop'), nameFromTextLenient('abcdefghijklm'));
  t.throws(() => contractName.fromJson(5), 'names are text in JSON');
  t.end();
});

t.test('an action is found by its name', (t) => {
  const abi = abiDef.fromJson({
    actions: [
      { name: 'hi', type: 'hi', payable: false },
      { name: 'deposit', type: 'deposit', payable: true },
    ],
  });
  t.equal(findAction(abi.actions, nameFromText('deposit'))?.payable, true);
  t.equal(findAction(abi.actions, nameFromText('nope')), undefined);
  t.same(decode(abiDef, encode(abiDef, abi)), abi);
  t.end();
});

t.test('the digest of a proxy request leaves its signatures out', (t) => {
  const vector = vectors.proxy_transfer_request;
  const request = proxyTransferParams.fromJson(vector.params_with_empty_signatures);
  const signature = fromHex(vector.signature_hex);
  const digest = proxyRequestDigest({ ...request, signatures: [signature] });
  t.equal(toHex(digest), vector.digest_sha256_hex);
  t.equal(toHex(encode(proxyTransferParams, { ...request, signatures: [] })), vector.signed_bytes_hex);
  t.equal(publicKey.toJson(signatureBackend().recover(digest, signature), NETWORK), vector.recovered_public);
  t.end();
});
