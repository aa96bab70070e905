import { PrivateKey } from '../../src/crypto/private-key.js';
import { md5OfText, openSealed, PACKET_ERRORS, sealPacket } from '../../src/trade/packets.js';
import { checkNames, INPUT_ERRORS, parameterOf } from '../../src/trade/parameters.js';
import { openQuestion, type Question, readQuestion, SELLER_ERRORS } from '../../src/trade/seller.js';
import { assertion, type Refusal } from './define.js';

/** What buyers and sellers meet without a chain; what an exchange refuses is met in services/datasource. */

const seller = PrivateKey.fromSeed('seller');
const buyer = PrivateKey.fromSeed('buyer');
const NOW_MS = 1_600_000_000_000;

function question(plain: object, memo?: string): Question {
  const text = JSON.stringify(plain);
  return {
    params: sealPacket(buyer, seller.publicKey, '7', text),
    buyerKey: buyer.publicKey,
    productId: 1,
    nonce: '7',
    buyer: '1.2.17',
    requestId: 'x',
    memo: memo ?? md5OfText(text),
  };
}

export const refusals: readonly Refusal[] = [
  assertion(PACKET_ERRORS.packet_form, 'an encrypted packet is lower-case hex of whole blocks of 16 bytes', () =>
    openSealed(seller, buyer.publicKey, '7', 'abc'),
  ),
  assertion(PACKET_ERRORS.packet_damaged, 'the packet does not open: wrong key, wrong nonce, or damaged', () =>
    openSealed(seller, buyer.publicKey, '8', question({}).params),
  ),
  assertion(SELLER_ERRORS.seller_question, 'the question is not as agreed upon: nonce', () =>
    readQuestion({ params: 'ab', publicKey: 'GXC', productId: 1, nonce: -1 }),
  ),
  assertion(SELLER_ERRORS.seller_memo, 'the memo is not the MD5 of the question', () =>
    openQuestion(question({ params: {}, timestamp: NOW_MS }, '0'.repeat(32)), seller, NOW_MS),
  ),
  assertion(SELLER_ERRORS.seller_stale, 'the question was asked too long ago, or in the future', () =>
    openQuestion(question({ params: {}, timestamp: NOW_MS / 1000 }), seller, NOW_MS + 700_000),
  ),
  assertion(INPUT_ERRORS.input_type, 'size has to be a whole number', () => parameterOf('size', 'long', '1.5')),
  assertion(INPUT_ERRORS.input_type, 'size has to be a number', () => parameterOf('size', 'double', '1e400')),
  assertion(INPUT_ERRORS.input_type, 'old has to be true or false', () => parameterOf('old', 'boolean', 'no')),
  assertion(INPUT_ERRORS.input_missing, 'symbol is missing, which the product needs', () =>
    checkNames({}, { symbol: { type: 'string', required: true } }),
  ),
  assertion(INPUT_ERRORS.input_unknown, 'the product asks for no symbl, but for symbol', () =>
    checkNames({ symbl: 'Fe' }, { symbol: { type: 'string', required: true } }),
  ),
];
