import { tapos } from '../../src/crypto/digests.js';
import { ask as askAgain, type NodeProcess } from './node-process.js';
import { makeTransfers } from './transfers.js';

/** A load in which anything is refused measures nothing. */
export function checkAnswer(answer: string): void {
  if (answer.includes('"error":')) throw new Error(answer.slice(0, 500));
}

/** Text for text. */
async function call(node: NodeProcess, body: string): Promise<string> {
  const response = await askAgain(`http://127.0.0.1:${node.port}/`, { method: 'POST', body });
  return response.text();
}

export async function ask<T>(node: NodeProcess, method: string, params: unknown[]): Promise<T> {
  const answer = await call(node, JSON.stringify({ id: 1, method, params }));
  const { result, error } = JSON.parse(answer) as { result: T; error?: { message: string } };
  if (error !== undefined) throw new Error(error.message);
  return result;
}

const HOUR_SEC = 3600;
let made = 0;

/** Signed transfers of the development network; no two that this process makes are alike. */
export async function transfers(node: NodeProcess, count: number, lifetimeSec = HOUR_SEC): Promise<string[]> {
  const head = await ask<{ head_block_id: string; time: string }>(node, 'get_dynamic_global_properties', []);
  const { ref_block_num, ref_block_prefix } = tapos(head.head_block_id);
  const [from, to] = node.accounts;
  if (from === undefined || to === undefined) throw new Error('the development network has accounts');
  const expiration = new Date(Date.parse(`${head.time}Z`) + lifetimeSec * 1000).toISOString().slice(0, 19);
  const first = made + 1;
  made += count;
  return makeTransfers({
    count,
    first,
    chainId: await ask<string>(node, 'get_chain_id', []),
    from: from.id,
    to: to.id,
    wif: from.wif,
    refBlockNum: ref_block_num,
    refBlockPrefix: ref_block_prefix,
    expiration,
    coreAsset: '1.3.1',
    fee: 1000,
  });
}
