import { ACCOUNT_RULES } from './account-rules.js';
import { ASSET_RULES } from './asset-rules.js';
import { CONFIDENTIAL_RULES } from './confidential-rules.js';
import { governanceRules } from './governance-rules.js';
import type { AnyRule } from './model.js';
import { MONEY_RULES } from './money-rules.js';
import { STALE_RULES } from './stale-rules.js';

export const RULES: readonly AnyRule[] = [
  ...ACCOUNT_RULES,
  ...ASSET_RULES,
  ...MONEY_RULES,
  ...CONFIDENTIAL_RULES,
  ...STALE_RULES,
  ...governanceRules(() => RULES),
];
