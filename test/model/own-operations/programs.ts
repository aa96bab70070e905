/** Programs of locks and stakings: ids that come twice, what ends at once, what never does, and what is offline. */
export const LOCKS = [
  ['1', { lock_days: 0, interest_rate: 65_537, is_valid: true }],
  ['2', { lock_days: 1, interest_rate: 5, is_valid: true }],
  ['1', { lock_days: 7, interest_rate: 7, is_valid: true }],
  ['3', { lock_days: 49_711, interest_rate: 0, is_valid: true }],
  ['4', { lock_days: 1, interest_rate: 0, is_valid: false }],
  ['', { lock_days: 0xffff_ffff, interest_rate: 0, is_valid: true }],
] as const;

export const STAKINGS = [
  ['1', { staking_days: 0, weight: 1, is_valid: true }],
  ['2', { staking_days: 1, weight: 0xffff_ffff, is_valid: true }],
  ['1', { staking_days: 9, weight: 9, is_valid: true }],
  ['3', { staking_days: 49_711, weight: 0, is_valid: true }],
  ['4', { staking_days: 1, weight: 0, is_valid: false }],
  ['5', { staking_days: 30, weight: 3, is_valid: true }],
] as const;

const contexts = [
  ['open', '{"privacy": false}'],
  ['private', '{"privacy": true}'],
  ['word', '{"privacy":"true"}'],
  ['verified', '{"copyright_verify":true}'],
  ['both', '{"privacy":true,"copyright_verify":"true"}'],
  ['broken', '{"privacy":'],
  ['two', '{}'],
  ['two', '{"privacy":true}'],
  ['list', '[true]'],
  ['early', '{"copyright_verify":true}'],
  ['early', '{x'],
  ['late', '{"privacy":true}'],
  ['late', '{x'],
] as const;

export const CONTEXTS = contexts.map(([version, schema_context]) => ({ version, schema_context }));
export const VERSIONS = [
  ...['open', 'open', 'private', 'private', 'word', 'verified', 'verified', 'verified', 'verified'],
  ...['both', 'broken', 'two', 'list', 'early', 'early', 'early', 'early', 'late', 'none'],
];
