import t from 'tap';
import { ID_SALT_BYTES, IdHash } from '../../../src/state/id-hash.js';

const IDS = 4096;
const PLACES = 1 << 16;
const [one, other] = [7, 9].map((from) =>
  Uint8Array.from({ length: ID_SALT_BYTES }, (_, i) => (from * 37 * (i + 1)) % 251),
);

/** Ids that differ in one word alone, as nobody can make them who has to look for them. */
function idsOf(word: number): DataView[] {
  return Array.from({ length: IDS }, (_, i) => {
    const view = new DataView(new ArrayBuffer(20));
    for (let at = 0; at < 20; at += 4) view.setUint32(at, 0x1234_5678);
    view.setUint32(4 * word, Math.imul(i + 1, 0x0001_0001));
    return view;
  });
}

const placesOf = (hash: IdHash, ids: readonly DataView[]): number[] => ids.map((id) => hash.of(id, 0) % PLACES);

t.test('ids that share what they are sorted by elsewhere have places of their own', async (t) => {
  for (const word of [0, 1]) {
    const distinct = new Set(placesOf(new IdHash(one), idsOf(word)));
    t.ok(distinct.size > IDS * 0.9, `${distinct.size} of ${IDS}, word ${word}`);
  }
});

t.test('which ones meet depends on the salt', async (t) => {
  const ids = idsOf(0);
  const placesWith = (hash: IdHash): string => placesOf(hash, ids).join();
  const first = placesWith(new IdHash(one));
  t.not(first, placesWith(new IdHash(other)));
  t.not(first, placesWith(new IdHash()));
  t.equal(placesWith(new IdHash(one)), first, 'and on nothing else');
});

t.test('an id in hex stands where its bytes stand', async (t) => {
  const hash = new IdHash(one);
  for (const view of [0, 1].flatMap(idsOf)) {
    const bytes = Buffer.from(view.buffer);
    if (hash.ofHex(bytes.toString('hex')) !== hash.of(view, 0)) t.fail(bytes.toString('hex'));
  }
  t.equal(hash.ofHex('0123456789abcdef'.repeat(2)), hash.ofHex('0123456789ABCDEF'.repeat(2)));
  t.type(hash.ofHex('no id'), 'number', 'of what is none, too');
});

t.test('a salt of zeros is one too', async (t) => {
  const distinct = new Set(placesOf(new IdHash(new Uint8Array(ID_SALT_BYTES)), idsOf(1)));
  t.ok(distinct.size > IDS * 0.9);
});
