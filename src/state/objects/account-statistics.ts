import { accountStatisticsRecord } from '../../protocol/objects/accounts-and-assets.js';
import { defineObject, type ObjectOf } from '../define.js';

export const accountStatisticsObject = defineObject(accountStatisticsRecord);
export type AccountStatisticsObject = ObjectOf<typeof accountStatisticsObject>;
