import { OWN_FORKS, type OwnFork } from '../own-operations/model.js';

/** Those that contracts know, by the words of the texts. */
const CONTRACT_FORKS = ['1006', '1013', '1015', '1016', '1017', '1020', '1021', '1022', '1023', '1024'] as const;
export type ContractFork = (typeof CONTRACT_FORKS)[number] | '1024_SAME_CODE' | OwnFork;
export type ContractForks = Readonly<Record<ContractFork, number>>;
export const FORK_NAMES: readonly ContractFork[] = [...CONTRACT_FORKS, '1024_SAME_CODE', ...OWN_FORKS];
