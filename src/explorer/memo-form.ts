import { field, form, h } from '../page/dom.js';
import type { Operation } from './answers.js';
import type { Memo } from './memo.js';
import { quiet, section } from './parts.js';

/** Memos of a transaction: those that anybody may read, and a form for the others. */

/** The key that nobody has, as text behind any prefix. */
const NO_KEY = /1{30}/;
/** Four bytes stand before the text where a checksum would be. */
const PLAIN_HEAD_DIGITS = 8;

function memoOf([, body]: Operation): Memo | undefined {
  const memo = body.memo;
  const isMemo = memo !== null && typeof memo === 'object' && 'message' in memo && 'from' in memo;
  return isMemo ? (memo as unknown as Memo) : undefined;
}

function plainText({ message }: Memo): string {
  const digits = message.slice(PLAIN_HEAD_DIGITS).match(/../g) ?? [];
  return new TextDecoder().decode(Uint8Array.from(digits, (two) => Number.parseInt(two, 16)));
}

export function memoSection(operation: Operation): HTMLElement | undefined {
  const memo = memoOf(operation);
  if (memo === undefined || memo.message === '') return undefined;
  if (NO_KEY.test(memo.from))
    return section('Memo', h('p', { class: 'memo' }, plainText(memo)), quiet('Not encrypted.'));
  const key = h('input', { type: 'password', autocomplete: 'off', spellcheck: 'false', required: true });
  const room = h('p', { class: 'memo', hidden: true });
  const open = async (): Promise<undefined> => {
    const wif = key.value.trim();
    // It is not left in the page either.
    key.value = '';
    room.hidden = true;
    const { readMemo } = await import('./memo.js');
    room.textContent = readMemo(memo, wif);
    room.hidden = false;
    return undefined;
  };
  const hint = 'The memo is opened in this page. The key is sent nowhere and kept nowhere.';
  return section('Memo', form('Read the memo', open, field('Memo key of either side (WIF)', key, { hint })), room);
}
