import { assetBitassetDataObject } from '../../state/objects/asset-bitasset-data.js';
import { chooseActiveSets } from './active-sets.js';
import { grantWitnessBudget } from './budget.js';
import { distributeFbaFees } from './fba.js';
import { applyPendingParameters, setNextMaintenanceTime } from './parameter-change.js';
import type { MaintenanceStep } from './run.js';
import { prepareTally, tallyVotesAndPayOutFees } from './tally.js';
import { refreshTopHolderAuthorities } from './top-holders.js';

const resetForceSettledVolumes: MaintenanceStep = {
  name: 'reset_force_settled_volumes',
  run: ({ state: s }) => {
    // Quirk: that counts as a change, and subscribers are told, where nothing was settled too.
    for (const data of s.all(assetBitassetDataObject)) {
      s.modify(assetBitassetDataObject, data, (o) => {
        o.force_settled_volume = 0n;
      });
    }
  },
};

/** The order of effects at maintenance. It is consensus. */
export const MAINTENANCE: readonly MaintenanceStep[] = [
  distributeFbaFees,
  prepareTally,
  tallyVotesAndPayOutFees,
  refreshTopHolderAuthorities,
  chooseActiveSets,
  applyPendingParameters,
  setNextMaintenanceTime,
  resetForceSettledVolumes,
  grantWitnessBudget,
];
