import t from 'tap';
import { type Evidence, judge, type LegSeen, RequestSeen } from './judge.js';

/** Every promise, broken once: a run that does not notice it would prove nothing. */

const [BUYER, SOURCE, EXCHANGE] = ['1.2.30', '1.2.31', '1.2.32'];

const leg = (signature: string, more: Partial<LegSeen> = {}): LegSeen => ({
  signature,
  buyer: BUYER,
  source: SOURCE,
  status: 'SUCCESS',
  txid: `tx-${signature}`,
  isData: true,
  isLost: false,
  ...more,
});
const charge = (signature: string) => ({
  signature,
  txid: `tx-${signature}`,
  from: BUYER,
  to: SOURCE,
  units: 1000n,
  percent: 1000,
  fee: 100n,
});

/** Two purchases that were paid and one of which nothing came. */
const honest: Evidence = {
  releaseAt: 'final',
  price: 1000n,
  percent: 1000,
  exchange: EXCHANGE,
  accounts: [
    { id: BUYER, before: 10_000n, after: 7_940n },
    { id: SOURCE, before: 0n, after: 1850n },
    { id: EXCHANGE, before: 500n, after: 500n },
  ],
  legs: [leg('a'), leg('b'), leg('c', { status: 'TIMEOUT', txid: null, isData: false })],
  charges: [charge('a'), charge('b')],
  moved: [{ from: BUYER, to: SOURCE, units: 50n, fee: 10n }],
  isUndone: false,
};
const lossy: Evidence = { ...honest, releaseAt: 'accepted', legs: [...honest.legs, leg('d', { isLost: true })] };

t.test('nothing is said of what is right', async (t) => {
  t.same(judge(honest), []);
  t.same(judge(lossy), [], 'what is lost is in no sum');
});

for (const [what, evidence, problem] of [
  ['charged twice', { charges: [...honest.charges, charge('a')] }, /a is charged twice/],
  [
    'charged without data',
    { charges: [...honest.charges, charge('c')] },
    /c is charged, and its buyer was told TIMEOUT/,
  ],
  ['charged and never asked for', { charges: [...honest.charges, charge('x')] }, /x is charged, and nobody has asked/],
  ['another transaction', { legs: [leg('a', { txid: 'other' }), leg('b')] }, /a is charged by tx-a, not by other/],
  ['another payer', { legs: [leg('a', { buyer: '1.2.99' }), leg('b')] }, /a is charged to somebody else/],
  ['another price', { charges: [charge('a'), { ...charge('b'), units: 999n }] }, /b is charged at another price/],
  ['success without data', { legs: [leg('a'), leg('b', { isData: false })] }, /b is a success without the data/],
  ['data of a failure', { legs: [...honest.legs, leg('d', { status: 'FAIL' })] }, /d has shown data and is FAIL/],
  ['data without charge', { charges: [charge('a')] }, /b: data without charge$/m],
  [
    'a balance off by one',
    { accounts: [{ id: BUYER, before: 10_000n, after: 7_941n }] },
    /1\.2\.30 has 7941, and was shown 7940/,
  ],
] as const) {
  t.test(what, async (t) => {
    t.match(judge({ ...honest, ...evidence }).join('\n'), problem);
  });
}

t.test('what may be lost, and when', async (t) => {
  const included = { ...lossy, releaseAt: 'included' } as const;
  t.match(judge(included).join('\n'), /1 times data without charge, and no block was undone/);
  t.same(judge({ ...included, isUndone: true }), []);
  t.match(judge({ ...lossy, releaseAt: 'final' }).join('\n'), /d: data without charge$/m);
  const hidden = { ...lossy, legs: [...honest.legs, leg('d')] };
  t.match(judge(hidden).join('\n'), /not counted as lost\nshown and paid differ by 1000, and 0 are lost/);
  const invented = { ...lossy, legs: [leg('a', { isLost: true }), leg('b')] };
  t.match(judge(invented).join('\n'), /a is charged, and counted as lost/);
});

t.test('what was shown once stays', async (t) => {
  const one = { datasource: SOURCE, status: 'SUCCESS', data: 'ab', txid: 'tx' };
  const look = (status: string, ...datasources: (typeof one)[]) => ({ status, datasources });
  const problemsOf = (...looks: ReturnType<typeof look>[]): string[] => {
    const seen = new RequestSeen();
    for (const each of looks) seen.see(each);
    return seen.problems;
  };
  t.same(problemsOf(look('IN_PROGRESS'), look('IN_PROGRESS', one), look('FINISHED', one), look('FINISHED', one)), []);
  t.match(problemsOf(look('FINISHED', one), look('IN_PROGRESS', one)), ['FINISHED became IN_PROGRESS']);
  t.match(problemsOf(look('IN_PROGRESS', one), look('IN_PROGRESS')), [/SUCCESS of 1\.2\.31 became nothing/]);
  t.match(problemsOf(look('FINISHED', one), look('FINISHED', { ...one, data: 'cd' })), [/became other data/]);
  const failed = { ...one, status: 'FAIL', data: '', txid: '' };
  t.match(problemsOf(look('FINISHED', one), look('FINISHED', failed)), [/became FAIL/]);
  t.same(problemsOf(look('FINISHED', failed), look('FINISHED', one)), [], 'a payment that came after all');
});
