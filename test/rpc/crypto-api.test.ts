import t from 'tap';
import { type RangeVector, rangeVectors } from '../support/range-vectors.js';
import { askable, goldenPorts } from './support/golden-rpc.js';

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly data: { readonly key: string } };
}

const vector = rangeVectors.find((one) => one.min_bits === 32) as RangeVector;
const { commitment, nonce, proof_hex: proof, blind } = vector;
const { ask } = askable(goldenPorts());

async function crypto(method: string, ...params: unknown[]): Promise<Answer> {
  const request = { jsonrpc: '2.0', id: 1, method: 'call', params: ['crypto', method, params] };
  return JSON.parse((await ask('http', JSON.stringify(request))) ?? '') as Answer;
}

const ZERO = '0'.repeat(64);

t.test('range proofs over RPC', async (t) => {
  const value = Number(vector.value);
  const made = await crypto('range_proof_sign', 0, commitment, blind, nonce, 0, 32, value);
  t.equal(made.result, proof, 'made');
  t.same((await crypto('verify_range', commitment, proof)).result, { success: true, min_val: 0, max_val: 0xffffffff });
  t.same((await crypto('range_get_info', proof)).result, { exp: 0, mantissa: 32, min_value: 0, max_value: 0xffffffff });
  const rewound = (await crypto('verify_range_proof_rewind', nonce, commitment, proof)).result;
  const found = { success: true, min_val: 0, max_val: 0xffffffff, value_out: value, blind_out: blind };
  t.same(rewound, { ...found, message_out: '00'.repeat(32 * 62) });
});

t.test('what proves nothing is an answer, what cannot be made is an error', async (t) => {
  const none = { success: false, min_val: 0, max_val: 0 };
  for (const bad of [
    '',
    'ff',
    '40'.repeat(100),
    `${proof}00`,
    proof.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
  ]) {
    t.same((await crypto('verify_range', commitment, bad)).result, none, bad.slice(0, 20));
  }
  const nothing = { ...none, value_out: 0, blind_out: ZERO, message_out: '' };
  t.same((await crypto('verify_range_proof_rewind', blind, commitment, proof)).result, nothing, 'another nonce');
  const asked = await crypto('range_proof_sign', 0, commitment, blind, nonce, 19, 32, Number(vector.value));
  t.equal(asked.error?.data.key, 'range_exponent_invalid');
  t.equal((await crypto('range_get_info', 'ff')).error?.data.key, 'range_proof_invalid');
});
