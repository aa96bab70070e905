import t from 'tap';
import { sha256 } from '../../src/crypto/hash.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { publicKeyFromText } from '../../src/crypto/public-key.js';
import { readAuthorization, signerOfText } from '../../src/services/chain/signatures.js';

/** Texts that clients of the exchange sign: published vectors. */

const KEY = PrivateKey.fromWif('5KZf2GYCut3ETdcfe2GwXGD1DRSdHbz8c1hfzkggMZeLDkuMdm6').publicKey;
const PUBLIC = 'GXC5vfaNEdu2SvsAWREQKNLHD43qgrjY1oAtJpS6o5kQoSuS3cxfH';
const BIND = '1.2.300|14|http://127.0.0.1:9990|1600000000000';
const BIND_SIGNATURE =
  '1f01e4f47995286057dd572a63078078e52b25dd90eaca48b7b4088067d4fad0880c8c32a209287052755392978d3963b863c21ce7a79b1cf4785fb993fe9bbca8';
const BODY = '{"agree":1,"voteId":1}';
const VOTE_SIGNATURE =
  '1f3cc123e496b8c55e923c76daeb6e7c6e1193ac04302d70a17120892c79d7d43f62f522c8c11b5ead0e87fbca3784c15b99d96df6bd22b96c5bbcf850236e3a2b';

t.test('who has signed', async (t) => {
  t.equal(KEY, publicKeyFromText(PUBLIC, 'GXC'));
  t.equal(signerOfText(BIND, BIND_SIGNATURE), KEY, 'a binding');
  const hash = Buffer.from(sha256(Buffer.from(BODY))).toString('hex');
  t.equal(hash, 'df240335e087cc5be39131cd7f4692ddd8f7864db9348a9d98a888adb0a6878f');
  const call = `market-v1|1.2.300|POST|/market/product/vote|${hash}|1600000000000`;
  t.equal(signerOfText(call, VOTE_SIGNATURE), KEY, 'a call of the market');
  for (const [text, signature] of [
    [
      '1.2.300|1600000003000',
      '1f5a1533a9da5496c406da874e8446834a35711558262e8208a5f0c0bf94c23dfa15ad541fdeebd15d035b5cea10d39ea136394dfe3dc0781b021c5a46e72a18b8',
    ],
    [
      '1.2.300|[1,2]|1600000003000',
      '2029bdc77fa6ec75bd34e83d4aebc65d92c4a81d3fd5c398301c3f51e237b65dfa3573ac190a78d5ad264de844299f47e65e645e491df66b3209f63499b26601f3',
    ],
    [
      '1.2.300|[1,2]|http://127.0.0.1:9990/query|1600000003000',
      '201a1099acef76db0aae045e1101ae494482dcc1632c873f04e8791867c191cb6a263f978d858d1b3e50ff256bef56a27877279e5a61a1808db5d2c9f6e1e41a8c',
    ],
  ] as const) {
    t.equal(signerOfText(text, signature), KEY, 'a heartbeat');
  }
});

t.test('an authorization has one form, and what is none stays none', async (t) => {
  const read = (header: string) => readAuthorization(`${header}${BIND_SIGNATURE.slice(2)}`)?.[0];
  t.same(['1b', '1c', '1d', '1e', '1f', '20', '21', '22'].map(read), [31, 32, 33, 34, 31, 32, 33, 34]);
  t.same(['1a', '23', '00', 'ff'].map(read), [0x1a, 0x23, 0, 0xff], 'the chain takes none of these');
});

t.test('headers of old signers, and what is no signature', async (t) => {
  t.equal(signerOfText(BIND, `1b${BIND_SIGNATURE.slice(2)}`), KEY, 'a key that was not marked as compressed');
  t.not(signerOfText(`${BIND} `, BIND_SIGNATURE), KEY, 'of another text');
  for (const wrong of [
    '',
    'ab',
    BIND_SIGNATURE.slice(2),
    `${BIND_SIGNATURE}00`,
    `ff${BIND_SIGNATURE.slice(2)}`,
    '0'.repeat(130),
  ]) {
    t.equal(signerOfText(BIND, wrong), undefined);
  }
});
