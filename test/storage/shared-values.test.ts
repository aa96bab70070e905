import t from 'tap';
import '../../src/operations/index.js';
import { LASTING_RULES } from '../../src/codec/decode-rules.js';
import { Reader } from '../../src/codec/reader.js';
import { type Authority, keyAuthority } from '../../src/protocol/authority.js';
import { type AccountObject, accountObject } from '../../src/state/objects/account.js';
import { recordCodec } from '../../src/storage/object-record.js';

/** A million accounts come out of the store: what is alike in them is one value, and what is not stays what it is. */

const codec = recordCodec(accountObject);
const [one, other, third] = ['02', '03', '02'].map((prefix, i) => prefix + `${i}7`.repeat(32)) as [
  string,
  string,
  string,
];

function back(owner: Authority, active: Authority, memo = one): AccountObject {
  const initial = accountObject.schema.default();
  const given = { id: 7, ...initial, name: 'somebody', owner, active, options: { ...initial.options, memo_key: memo } };
  const bytes = codec.encode(given).slice();
  // As in a page: another record follows, here one that begins as this one ends.
  const page = Uint8Array.of(...bytes, ...bytes);
  const found = codec.decode(7, new Reader(page, LASTING_RULES), bytes.length) as AccountObject;
  t.same(found, given);
  return found;
}

t.test('owner and active that are alike are one value', async (t) => {
  const { owner, active } = back(keyAuthority(one), keyAuthority(one));
  t.equal(owner, active);
});

t.test('those that are not, or not in all, stay two', async () => {
  const pairs: (readonly [Authority, Authority])[] = [
    [keyAuthority(one), keyAuthority(other)],
    [keyAuthority(one), { ...keyAuthority(one), key_auths: [[one, 2]] }],
    [keyAuthority(one), { ...keyAuthority(one), address_auths: [['11'.repeat(20), 1]] }],
    [{ ...keyAuthority(one), account_auths: [[5, 1]] }, keyAuthority(one)],
    [accountObject.schema.default().owner, keyAuthority(one)],
    [keyAuthority(one), accountObject.schema.default().owner],
  ];
  for (const [owner, active] of pairs) back(owner, active, third);
});

t.test('empty lists are one list, which nobody can add to', async (t) => {
  const { owner, active } = back(keyAuthority(one), keyAuthority(other));
  t.equal(owner.account_auths, active.address_auths);
  t.throws(() => owner.account_auths.push([1, 1]), TypeError);
});

t.test('texts of every length and kind come back', async (t) => {
  const initial = accountObject.schema.default();
  for (const letter of ['a', 'ü', '\udc80']) {
    for (let length = 0; length <= 40; length++) {
      const given = { id: 1, ...initial, name: letter.repeat(length), vm_type: `${'x'.repeat(length)}${letter}` };
      const bytes = codec.encode(given).slice();
      t.same(codec.decode(1, new Reader(bytes, LASTING_RULES), bytes.length), given);
    }
  }
});
