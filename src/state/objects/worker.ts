import { workerRecord } from '../../protocol/objects/governance.js';
import { defineObject, group, type ObjectOf } from '../define.js';

export const workerObject = defineObject(workerRecord, { account: group((worker) => worker.worker_account) });
export type WorkerObject = ObjectOf<typeof workerObject>;
