import { RULES } from '../rules.js';
import { type AnyOwnRule, asOwn } from './model.js';
import { MONEY_RULES } from './money-rules.js';
import { parameterUpdate } from './parameter-rules.js';
import { payment } from './payment-rules.js';
import { PRODUCT_RULES } from './product-rules.js';
import { REQUEST_RULES } from './request-rules.js';
import { ROLE_RULES } from './role-rules.js';
import { STAKING_RULES } from './staking-rules.js';
import { TRUST_NODE_RULES } from './trust-node-rules.js';

/** They do nothing, which the model of other operations says already. */
const STALE = [47, 48, 49, 50, 51, 52, 53, 54];

export const OWN_RULES: readonly AnyOwnRule[] = [
  ...RULES.filter(({ tag }) => STALE.includes(tag)).map(asOwn),
  ...ROLE_RULES,
  ...TRUST_NODE_RULES,
  ...STAKING_RULES,
  ...MONEY_RULES,
  ...PRODUCT_RULES,
  ...REQUEST_RULES,
  payment,
  parameterUpdate,
];
