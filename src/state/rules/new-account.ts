import { type AccountObject, accountObject } from '../objects/account.js';
import { type AccountStatisticsObject, accountStatisticsObject } from '../objects/account-statistics.js';
import type { WriteState } from '../views.js';

type Given = { name: string } & Partial<Omit<AccountObject, 'id' | 'statistics'>>;

/** An account comes into being with its statistics. What is not given keeps its default. */
export function createAccount(s: WriteState, given: Given): Readonly<AccountObject> {
  const statistics = s.create(accountStatisticsObject, {
    ...(accountStatisticsObject.schema.default() as Omit<AccountStatisticsObject, 'id'>),
    owner: s.nextInstance(accountObject),
  });
  return s.create(accountObject, {
    ...(accountObject.schema.default() as Omit<AccountObject, 'id'>),
    ...given,
    statistics: statistics.id,
  });
}
