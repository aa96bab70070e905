import type { ChainParameters } from '../../protocol/chain-parameters.js';
import {
  commissionExtension,
  EXTENSION_TAG,
  type ExtensionOf,
  findExtension,
  interContractExtension,
  pledgeExtension,
  vmCpuLimitExtension,
  voteExtension,
} from '../../protocol/extensions.js';
import { globalPropertyObject } from '../objects/global-property.js';
import type { ReadState } from '../views.js';

/** Parameters in force, and those that live in extensions with the defaults that apply while they are absent. */

const VOTE_DEFAULTS = Object.freeze(voteExtension.default());
const PLEDGE_DEFAULTS = Object.freeze(pledgeExtension.default());
const CPU_DEFAULTS = Object.freeze(vmCpuLimitExtension.default());
const INTER_CONTRACT_DEFAULTS = Object.freeze(interContractExtension.default());
const COMMISSION_DEFAULTS = Object.freeze(commissionExtension.default());

export function parameters(s: ReadState): ChainParameters {
  return s.single(globalPropertyObject).parameters;
}

export function voteParameters(s: ReadState): ExtensionOf<12> {
  return findExtension(parameters(s).extensions, EXTENSION_TAG.vote) ?? VOTE_DEFAULTS;
}

export function pledgeAmount(s: ReadState): bigint {
  return (findExtension(parameters(s).extensions, EXTENSION_TAG.trust_node_pledge) ?? PLEDGE_DEFAULTS).amount;
}

export function vmCpuLimits(s: ReadState): ExtensionOf<7> {
  return findExtension(parameters(s).extensions, EXTENSION_TAG.vm_cpu_limit) ?? CPU_DEFAULTS;
}

export function interContractParameters(s: ReadState): ExtensionOf<10> {
  return findExtension(parameters(s).extensions, EXTENSION_TAG.inter_contract) ?? INTER_CONTRACT_DEFAULTS;
}

export function commissionParameters(s: ReadState): ExtensionOf<3> {
  return findExtension(parameters(s).extensions, EXTENSION_TAG.commission) ?? COMMISSION_DEFAULTS;
}

/** Undefined or empty: nothing can be locked on this chain. */
export function lockPrograms(s: ReadState): ExtensionOf<6>['params'] | undefined {
  return findExtension(parameters(s).extensions, EXTENSION_TAG.lock_programs)?.params;
}

/** Undefined or empty: nothing can be staked on this chain. */
export function stakingPrograms(s: ReadState): ExtensionOf<11>['params'] | undefined {
  return findExtension(parameters(s).extensions, EXTENSION_TAG.staking_programs)?.params;
}

export function isStakingMode(s: ReadState): boolean {
  return s.active('HF_1025') && voteParameters(s).staking_mode_on;
}
