import { field, form, h } from '../../page/dom.js';
import type { Transaction } from '../answers.js';
import { readExactly } from '../exact-json.js';
import type { View } from '../page.js';
import { json, operationLine, quiet, section } from '../parts.js';
import { href } from '../routes.js';

/** `#/broadcast`: sends a transaction that was signed elsewhere, after it was shown in plain words. */
export const broadcastView: View = async (page) => {
  const text = h('textarea', {
    name: 'transaction',
    rows: 10,
    spellcheck: 'false',
    autocomplete: 'off',
    class: 'mono',
  });
  const room = h('div', { 'aria-live': 'polite' });

  const read = (): Transaction => {
    let value: Partial<Transaction>;
    try {
      value = readExactly(text.value) as Partial<Transaction>;
    } catch {
      throw new Error('This is no JSON.');
    }
    if (!Array.isArray(value?.operations)) throw new Error('This is no transaction: it has no operations.');
    if (!Array.isArray(value.signatures) || value.signatures.length === 0) throw new Error('It is not signed.');
    return value as Transaction;
  };
  const look = async (): Promise<undefined> => {
    room.replaceChildren();
    const transaction = read();
    await page.names.prepare(transaction.operations);
    const lines = transaction.operations.map((one) => h('li', {}, operationLine(page.names, one)));
    const send = async (): Promise<undefined> => {
      const id = await page.node.call<string>('call', 'network_broadcast', 'broadcast_transaction', [transaction]);
      location.hash = href('tx', id);
      return undefined;
    };
    room.append(section('What it would do', h('ol', {}, ...lines), form('Send it', send), json(transaction)));
    return undefined;
  };
  text.addEventListener('input', () => room.replaceChildren());
  return {
    title: 'Send a transaction',
    body: [
      quiet('Signed elsewhere, as JSON: nothing on this page signs.'),
      h('div', { class: 'card' }, form('Look at it', look, field('Signed transaction', text))),
      room,
    ],
  };
};
