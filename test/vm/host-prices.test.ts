import t from 'tap';
import { concatBytes, fromHex } from '../../src/base/bytes.js';
import { sha256 } from '../../src/crypto/hash.js';
import { publicKeyToText } from '../../src/crypto/public-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import type { Assembler } from '../../src/vm/wasm/assembler.js';
import { OP } from '../../src/vm/wasm/opcodes.js';
import { ContractWorld, methods } from '../support/contract-world.js';
import { NETWORK } from '../support/network.js';
import { testKey } from '../support/vm-keys.js';
import { CONTRACT } from '../support/vm-run.js';
import { buildModule } from '../support/wasm-builder.js';

/**
 * What a contract has bytes done to is paid for by the byte: a flat price would let it keep a node busy with arguments as
 * long as its memory.
 */

const BYTES = 4096;
const FROM = 8192;
const TO = 24_576;
const END = FROM + BYTES;
const letters = new Uint8Array(BYTES).fill(0x41);

type Act = (a: Assembler, length: number) => unknown;
interface Place {
  readonly at: number;
  readonly bytes: Uint8Array;
}

function instructionsOf(name: string, length: number, act: Act, data: readonly Place[]): number {
  const world = new ContractWorld();
  world.setBalance(BigInt(CONTRACT), 1n, 100n);
  const code = buildModule({ imports: [name], data, apply: (a) => act(a, length) });
  world.deploy(CONTRACT, code, methods('run'));
  return Number(world.call(CONTRACT, 'run', { data: letters }).session.instructionsUsed);
}

/** Instructions for each byte; both calls do all else that is to be done. */
function perByte(name: string, act: Act, data: readonly Place[] = [{ at: FROM, bytes: letters }]): number {
  return (instructionsOf(name, BYTES, act, data) - instructionsOf(name, 16, act, data)) / (BYTES - 16);
}

t.test('copies', async (t) => {
  const read: Act = (a, length) => a.i32(TO).i32(length).call(0).op(OP.drop);
  const move: Act = (a, length) => a.i32(TO).i32(FROM).i32(length).call(0).op(OP.drop);
  t.equal(perByte('read_action_data', read), 1 / 16);
  for (const name of ['memcpy', 'memmove', 'memset']) t.equal(perByte(name, move), 1 / 16, name);
  const memo: Act = (a, length) => {
    a.i64(BigInt(CONTRACT)).i64(17n).i64(1n).i64(1n).i32(FROM).i32(length).call(0);
  };
  t.equal(perByte('inline_transfer', memo), 1);
});

t.test('names', async (t) => {
  const find: Act = (a, length) => a.i32(FROM).i32(length).call(0).op(OP.drop);
  const data = [{ at: FROM, bytes: letters }];
  for (const name of ['get_account_id', 'get_asset_id', 'get_asset_precision']) {
    const [short, long, beyond] = [16, 256, 257].map((length) => instructionsOf(name, length, find, data)) as [
      ...[number, number, number],
    ];
    t.equal(long - short, 2 * (256 - 16), name);
    t.equal(short - beyond, 2 * 16, `${name}: nobody looks at what can be no name`);
  }
});

t.test('texts', async (t) => {
  const byLength: Act = (a, length) => a.i32(FROM).i32(length).call(0);
  const upToNul: Act = (a, length) => a.i32(END - length).call(0);
  t.equal(perByte('prints_l', byLength), 1 / 4);
  t.equal(perByte('printhex', byLength), 1 / 2);
  t.equal(perByte('prints', upToNul), 1 / 4 + 1 / 12, 'its end has to be found too');
  const holds: Act = (a, length) =>
    a
      .i32(1)
      .i32(END - length)
      .call(0);
  t.equal(perByte('graphene_assert', holds), 1 / 12, 'which happens even where nobody will read it');
});

t.test('keys and what is signed', async (t) => {
  const { secret, publicKey } = testKey('prices');
  const key = fromHex(publicKey);
  const text = new TextEncoder().encode(publicKeyToText(publicKey, NETWORK.keyPrefix));
  const message = Uint8Array.of(0x41);
  const [digest, signature] = [256, 512];
  const hash = sha256(message);
  const signed: Place[] = [
    { at: digest, bytes: hash },
    { at: signature, bytes: signatureBackend().sign(hash, secret) },
  ];
  const recover: Act = (a, length) =>
    a
      .i32(digest)
      .i32(signature)
      .i32(FROM)
      .i32(64 + length)
      .call(0);
  const given = (bytes: Uint8Array): Place[] => [...signed, { at: FROM, bytes }];
  t.equal(perByte('assert_recover_key', recover, given(key)), 1 / 4, 'more bytes than a key has');
  const wide = concatBytes(text, new Uint8Array(BYTES).fill(0x20));
  t.equal(perByte('assert_recover_key', recover, given(wide)), 40 + 1 / 4, 'letters are dearer');
  // The text of the key and white space, up to a NUL.
  const verify: Act = (a, length) => {
    a.i32(FROM + text.length + length)
      .i32(0)
      .op(0x3a)
      .u32(0)
      .u32(0);
    a.i32(digest).i32(1).i32(signature).i32(FROM).i32(1).call(0).op(OP.drop);
  };
  t.equal(perByte('verify_signature', verify, given(wide)), 40 + 1 / 4);
  const long: Act = (a, length) =>
    a
      .i32(END - length)
      .i32(0)
      .i32(signature)
      .i32(64)
      .i32(0)
      .call(0)
      .op(OP.drop);
  t.equal(perByte('verify_signature', long, [...given(letters), { at: 64, bytes: text }]), 1 / 4);
});
