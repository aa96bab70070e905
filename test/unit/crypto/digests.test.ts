import { createHash } from 'node:crypto';
import t from 'tap';
import { fromHex, toHex } from '../../../src/base/bytes.js';
import {
  blockHeaderDigest,
  blockId,
  blockNumFromId,
  chainIdOfChangedGenesis,
  chainIdOfGenesis,
  DIGEST_ERRORS,
  MerkleTree,
  merkleLeaf,
  merkleRoot,
  NULL_BLOCK_ID,
  signatureDigest,
  tapos,
  transactionId,
} from '../../../src/crypto/digests.js';
import * as hash from '../../../src/crypto/hash.js';
import { refused } from '../../support/refused.js';
import { readVectors } from '../../support/vectors.js';

interface BlockVector {
  block_num: number;
  block_id: string;
  header_hex: string;
  header_digest_sha256_hex: string;
  signed_header_hex: string;
  ref_block_num: number;
  ref_block_prefix: number;
  merkle_root: string;
  transaction_ids: string[];
  transactions_hex: string[];
  transaction_merkle_digests_sha256: string[];
}

const vectors = readVectors<{
  transactions: {
    name: string;
    chain_id: string;
    reference_block_id: string;
    ref_block_num: number;
    ref_block_prefix: number;
    unsigned_hex: string;
    digest_sha256_hex: string;
    transaction_id: string;
    signature_digest_hex: string;
  }[];
  blocks: BlockVector[];
  proxy_transfer_request: { signed_bytes_hex: string; digest_sha256_hex: string };
}>('protocol.json');

t.test('hashes equal those of a hash object, whatever the size', async (t) => {
  const all = [
    ['sha1', hash.sha1],
    ['sha256', hash.sha256],
    ['sha512', hash.sha512],
    ['ripemd160', hash.ripemd160],
  ] as const;
  for (const length of [0, 1, 55, 56, 63, 64, 65, 128, 5000]) {
    // A view into a larger buffer: only its own bytes count.
    const bytes = Uint8Array.from({ length: length + 7 }, (_, i) => i * 31).subarray(3, 3 + length);
    for (const [name, compute] of all) {
      const expected = createHash(name).update(bytes).digest('hex');
      t.equal(toHex(compute(bytes)), expected, `${name} of ${length} bytes`);
    }
    t.equal(hash.sha256Hex(bytes), toHex(hash.sha256(bytes)));
    t.equal(hash.sha256HexStart(bytes, 20), hash.sha256Hex(bytes).slice(0, 40));
    t.equal(hash.sha512Hex(bytes), toHex(hash.sha512(bytes)));
    t.equal(hash.ripemd160Hex(bytes), toHex(hash.ripemd160(bytes)));
    t.equal(hash.sha224Hex(bytes), createHash('sha224').update(bytes).digest('hex'));
    const target = new Uint8Array(40);
    hash.sha256Into(bytes, target, 5);
    t.equal(toHex(target), `${'00'.repeat(5)}${hash.sha256Hex(bytes)}${'00'.repeat(3)}`);
  }
});

t.test('transactions', async (t) => {
  for (const tx of vectors.transactions) {
    const bytes = fromHex(tx.unsigned_hex);
    t.equal(hash.sha256Hex(bytes), tx.digest_sha256_hex, tx.name);
    t.equal(transactionId(bytes), tx.transaction_id);
    t.equal(toHex(signatureDigest(tx.chain_id, bytes)), tx.signature_digest_hex);
    t.same(tapos(tx.reference_block_id), {
      ref_block_num: tx.ref_block_num,
      ref_block_prefix: tx.ref_block_prefix,
    });
  }
});

t.test('signature digest: chains and sizes may alternate', async (t) => {
  const chains = ['11'.repeat(32), '22'.repeat(32)];
  for (const length of [0, 5000, 10, 2_000_000, 5000, 0]) {
    for (const chain of chains) {
      const bytes = new Uint8Array(length).fill(3);
      const expected = createHash('sha256').update(fromHex(chain)).update(bytes).digest('hex');
      t.equal(toHex(signatureDigest(chain, bytes)), expected);
    }
  }
  refused(t, DIGEST_ERRORS.chain_id_invalid, () => signatureDigest('00', new Uint8Array(1)));
  // Longer than any before: the place where the chain id stands is empty again.
  refused(t, DIGEST_ERRORS.chain_id_invalid, () => signatureDigest('', new Uint8Array(500_000)), 'none at all');
});

t.test('blocks', async (t) => {
  for (const block of vectors.blocks) {
    t.equal(toHex(blockHeaderDigest(fromHex(block.header_hex))), block.header_digest_sha256_hex);
    t.equal(blockId(fromHex(block.signed_header_hex), block.block_num), block.block_id);
    t.equal(blockNumFromId(block.block_id), block.block_num);
    t.same(tapos(block.block_id), { ref_block_num: block.ref_block_num, ref_block_prefix: block.ref_block_prefix });
    t.same(
      block.transactions_hex.map((packed) => transactionId(fromHex(packed))),
      block.transaction_ids,
    );
    t.equal(merkleRoot(block.transaction_merkle_digests_sha256.map((leaf) => fromHex(leaf))), block.merkle_root);
  }
  t.equal(blockNumFromId(NULL_BLOCK_ID), 0);
  t.equal(blockNumFromId(`ffffffff${'00'.repeat(16)}`), 0xffffffff, 'unsigned');
  t.equal(tapos(`00010000ffffffff${'00'.repeat(12)}`).ref_block_prefix, 0xffffffff, 'unsigned');
  for (const bad of ['', '00', 'zz'.repeat(20), 'AA'.repeat(20), '00'.repeat(21)]) {
    refused(t, DIGEST_ERRORS.block_id_invalid, () => blockNumFromId(bad), bad);
    refused(t, DIGEST_ERRORS.block_id_invalid, () => tapos(bad), bad);
  }
  for (let at = 0; at < 40; at++) {
    for (const character of ['/', ':', '`', 'g', 'A', 'F', 'é', 'ā', ' ']) {
      const bad = NULL_BLOCK_ID.slice(0, at) + character + NULL_BLOCK_ID.slice(at + 1);
      refused(t, DIGEST_ERRORS.block_id_invalid, () => blockNumFromId(bad), `'${character}' at ${at}`);
    }
    const good = `${NULL_BLOCK_ID.slice(0, at)}f${NULL_BLOCK_ID.slice(at + 1)}`;
    t.equal(blockNumFromId(good), at < 8 ? 15 * 16 ** (7 - at) : 0);
  }
});

t.test('merkle roots of every small number of leaves', async (t) => {
  t.equal(merkleRoot([]), '00'.repeat(20));
  t.equal(new MerkleTree().root(), '00'.repeat(20));
  const pair = (a: Uint8Array, b: Uint8Array) => createHash('sha256').update(a).update(b).digest();
  for (let count = 1; count <= 20; count++) {
    const leaves = Array.from({ length: count }, (_, i) => merkleLeaf(Uint8Array.of(i)));
    const before = leaves.map(toHex);
    let level: Uint8Array[] = leaves;
    while (level.length > 1) {
      const next: Uint8Array[] = [];
      for (let i = 0; i < level.length; i += 2) {
        const [left, right] = [level[i] as Uint8Array, level[i + 1]];
        next.push(right === undefined ? left : pair(left, right));
      }
      level = next;
    }
    const expected = createHash('ripemd160')
      .update(level[0] as Uint8Array)
      .digest('hex');
    t.equal(merkleRoot(leaves), expected, `${count} leaves`);
    const tree = new MerkleTree();
    for (const leaf of leaves) tree.add(leaf);
    t.equal(tree.root(), expected, `${count} leaves one by one`);
    t.equal(tree.root(), expected, 'the root takes nothing from the tree');
    t.same(leaves.map(toHex), before, 'the leaves are left alone');
  }
});

t.test('chain id', async (t) => {
  const file = new TextEncoder().encode('{}\n');
  t.equal(chainIdOfGenesis(file), createHash('sha256').update('{}\n').digest('hex'));
  t.equal(chainIdOfChangedGenesis(file), createHash('sha256').update('{}\nBOGUS').digest('hex'));
});

t.test('the merkle root of more leaves than fit on the stack', async (t) => {
  const leaf = merkleLeaf(Uint8Array.of(1));
  const count = 150_000;
  const tree = new MerkleTree();
  for (let i = 0; i < count; i++) tree.add(leaf);
  t.equal(merkleRoot(new Array(count).fill(leaf)), tree.root());
});
