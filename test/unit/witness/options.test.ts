import t from 'tap';
import { OPTION_ERRORS, parseOption } from '../../../src/config/define.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { publicKeyToText } from '../../../src/crypto/public-key.js';
import {
  participationOption,
  signingKeyOption,
  witnessIdOption,
  witnessOptions,
} from '../../../src/witness/options.js';
import { NETWORK } from '../../support/network.js';
import { refused } from '../../support/refused.js';

const WIF = '5KQwrPbwdL6PhXujxW37FSSQZ1JiwsST4cqQzDeyXtP79zkvFD3';
const PUBLIC = 'GXC6MRyAjQq8ud7hVNYcfnVPJqcVpscN5So8BhtHuGYqET5GDW5CV';
const key = PrivateKey.fromWif(WIF);

t.test('witness ids as the family writes them and plain', async (t) => {
  t.equal(witnessIdOption.parse('"1.6.5"'), 5);
  t.equal(witnessIdOption.parse('1.6.0'), 0);
  for (const bad of ['', '1.2.5', '1.6.', '1.6.-1', '1.6.05', "'1.6.5'", '"1.6.5', '1.6.5 1.6.6']) {
    t.equal(witnessIdOption.parse(bad), undefined, bad);
  }
  t.equal(witnessIdOption.format(5), '"1.6.5"');
});

t.test('private keys: pair, plain, old hex', async (t) => {
  const hex = Buffer.from(key.secret()).toString('hex');
  for (const good of [
    `["${PUBLIC}","${WIF}"]`,
    `[ "${PUBLIC}" , "${WIF}" ]`,
    WIF,
    `"${WIF}"`,
    hex,
    `["${PUBLIC}","${hex}"]`,
  ]) {
    t.equal(signingKeyOption.parse(good)?.publicKey, key.publicKey, good);
  }
  const other = publicKeyToText(PrivateKey.fromSeed('other').publicKey, NETWORK.keyPrefix);
  for (const bad of [
    '',
    '[]',
    `["${WIF}"]`,
    `["${other}","${WIF}"]`,
    `["${PUBLIC}",1]`,
    `${WIF}x`,
    `["${PUBLIC}"`,
    PUBLIC,
  ]) {
    t.equal(signingKeyOption.parse(bad), undefined, bad);
  }
  t.equal(signingKeyOption.format(key), `["${PUBLIC}","${WIF}"]`);
  t.equal(signingKeyOption.parse(signingKeyOption.format(key))?.publicKey, key.publicKey);
});

t.test('a bad private key is never repeated', async (t) => {
  const option = witnessOptions['private-key'];
  refused(t, OPTION_ERRORS.option_value, () => parseOption('private-key', option, `${WIF}x`), {
    data: { option: 'private-key', value: '(not shown)' },
  });
});

t.test('participation in percent, as a flag too', async (t) => {
  const cases: [string, number | undefined][] = [
    ['33', 3300],
    ['0', 0],
    ['1', 100],
    ['true', 100],
    ['false', 0],
    ['99', 9900],
    ['100', undefined],
    ['-1', undefined],
    ['2.5', undefined],
    ['much', undefined],
  ];
  for (const [text, value] of cases) t.equal(participationOption.parse(text), value, text);
  t.equal(participationOption.bare, 'true');
});

t.test('the default key is the public test key', async (t) => {
  t.same(
    witnessOptions['private-key'].initial.map((one) => one.toWif()),
    [WIF],
  );
});
