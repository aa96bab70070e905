import type { OperationContext } from '../../operations/define.js';
import type { WriteState } from '../../state/views.js';
import type { VoteSums } from './vote-sums.js';

/** What the steps of one maintenance hand to each other. */
export interface MaintenanceRun {
  readonly state: WriteState;
  readonly context: OperationContext;
  readonly votes: VoteSums;
  /** Votes by instance of the vote id. */
  tally: bigint[];
  /** Stake by half the wanted number of witnesses and of committee members. */
  witnessHistogram: bigint[];
  committeeHistogram: bigint[];
  total: bigint;
}

export interface MaintenanceStep {
  readonly name: string;
  run(m: MaintenanceRun): void;
}
