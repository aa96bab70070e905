import type { Choices, Given, Maker } from './choices.js';

const VERSIONS = [[], [], [[1, { version: 1 }]], [[1, { version: 0 }]], [[1, { version: 2 }]]];

const role = (c: Choices, flag: string): Given => ({
  account_to_upgrade: c.account(),
  auth_referrer: c.lifetime(),
  [flag]: c.chance(0.7),
  extensions: c.random.pick(VERSIONS),
});

/** Nobody looks at anything else of them. */
const stale: Maker = (c) => ({ issuer: c.account(), new_issuer: c.maybe(c.account(), 0.8) });

export const ROLE_MAKERS: Readonly<Record<number, Maker>> = {
  45: (c) => role(c, 'upgrade_to_merchant_member'),
  46: (c) => role(c, 'upgrade_to_datasource_member'),
  58: (c) => ({ account_to_upgrade: c.account(), upgrade_to_data_transaction_member: c.chance(0.7) }),
  ...Object.fromEntries([47, 48, 49, 50, 51, 52, 53, 54].map((tag) => [tag, stale])),
};
