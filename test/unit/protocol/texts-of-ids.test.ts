import t from 'tap';
import { decode, encode } from '../../../src/codec/binary.js';
import { SCALAR_ERRORS } from '../../../src/codec/scalars.js';
import { accountId, ID_ERRORS, objectId, packObjectId } from '../../../src/protocol/ids.js';
import { makeVoteId, VOTE_ERRORS, voteId } from '../../../src/protocol/vote.js';
import { refused } from '../../support/refused.js';

t.test('ids of objects', async (t) => {
  t.equal(accountId.fromJson('1.2.17'), 17);
  t.equal(accountId.fromJson(`1.2.${2 ** 48 - 1}`), 2 ** 48 - 1);
  t.equal(accountId.fromJson('+1.+2.+17'), 17);
  // Plain ones are read in a way of their own, and whatever is not plain in the general one.
  for (const text of ['1.2.0', '01.2.5', '1.02.5', '1.2.005', '1.0002.5', '1.00002.5', '1.+2.5']) {
    t.equal(accountId.fromJson(text), Number(text.split('.')[2]), text);
  }
  for (const instance of ['999999999999', '0999999999999', '1000000000000', '9007199254740991']) {
    t.equal(accountId.fromJson(`1.2.${instance}`), Number(instance));
  }
  t.equal(objectId.fromJson('2.255.3'), packObjectId(2, 255, 3));
  const cases = [
    [ID_ERRORS.id_text, '17'],
    [ID_ERRORS.id_text, ''],
    [ID_ERRORS.id_number, '1.2.x'],
    [ID_ERRORS.id_number, '1.2'],
    [ID_ERRORS.id_number, '1.2.'],
    [ID_ERRORS.id_number, '1..2'],
    [ID_ERRORS.id_number, '1.2./'],
    [ID_ERRORS.id_number, '1.2.1:'],
    [ID_ERRORS.id_kind, '1.22.3'],
    [ID_ERRORS.id_kind, '12.2.3'],
    [ID_ERRORS.id_number, '.2.1'],
    [ID_ERRORS.id_number, '1.2.3.4'],
    [ID_ERRORS.id_number, '1.2. 3'],
    [ID_ERRORS.id_number, `1.2.${2n ** 64n}`],
    [ID_ERRORS.id_kind, '1.3.0'],
    [ID_ERRORS.id_kind, '2.2.0'],
    [ID_ERRORS.id_kind, '1.3.x'],
  ] as const;
  for (const [row, text] of cases) refused(t, row, () => accountId.fromJson(text), `${row.key}: ${text}`);
  refused(t, SCALAR_ERRORS.json_kind, () => accountId.fromJson(5), { data: { type: 'uint64_type' } });
  refused(t, SCALAR_ERRORS.json_kind, () => accountId.fromJson(null), { data: { type: 'null_type' } });
});

t.test('ids that name nothing are carried', async (t) => {
  for (const instance of [2n ** 48n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 64n - 1n]) {
    const text = `1.2.${instance}`;
    const value = accountId.fromJson(text);
    t.equal(accountId.toJson(value), text, 'printed as it was read');
    t.equal(accountId.toJson(decode(accountId, encode(accountId, value))), text);
  }
  t.equal(accountId.fromJson('1.2.-1'), 2n ** 64n - 1n, 'a sign wraps');
});

t.test('ids of any object name one that can be', async (t) => {
  for (const text of ['256.0.0', '1.256.0', '1.2.-1', `1.2.${2 ** 48}`, '-1.2.0']) {
    refused(t, ID_ERRORS.id_range, () => objectId.fromJson(text), text);
  }
  refused(t, ID_ERRORS.id_number, () => objectId.fromJson('1.2'));
});

t.test('ids of votes', async (t) => {
  t.equal(voteId.fromJson('255:16777215'), makeVoteId(255, 2 ** 24 - 1));
  t.equal(voteId.toJson(makeVoteId(1, 7)), '1:7');
  for (const text of ['1:7abc', '1x:7', '1:7:9', ' 1: 7', '+1:07']) {
    t.equal(voteId.fromJson(text), makeVoteId(1, 7), `${text}: what stands behind the digits is not looked at`);
  }
  refused(t, VOTE_ERRORS.vote_text, () => voteId.fromJson('17'));
  for (const text of ['1:', ':7', 'a:7', '1:x']) {
    refused(t, VOTE_ERRORS.vote_number, () => voteId.fromJson(text), text);
  }
  for (const text of ['256:7', '1:16777216']) refused(t, VOTE_ERRORS.vote_range, () => voteId.fromJson(text), text);
  t.equal(VOTE_ERRORS.vote_number.code, 13);
});
