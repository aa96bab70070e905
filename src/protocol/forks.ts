/**
 * Every change of rules is a row: when it takes effect on the main network and why it exists. A network may move the
 * times; the comparison belongs to the rule and stays. `from`: head time >= the moment; `after`: head time > it.
 */

interface ForkRow {
  readonly when: 'from' | 'after';
  readonly mainnet: number;
  readonly why: string;
}

const before2017 = (mainnet: number, when: ForkRow['when'], why: string): ForkRow => ({ when, mainnet, why });

export const FORKS = {
  HF_413: before2017(1446652800, 'after', 'issuers may claim accumulated fees'),
  HF_415: before2017(1446652800, 'after', 'an empty whitelist authorises everybody'),
  HF_419: before2017(1446652800, 'after', 'the fee payer must be authorised for the fee asset'),
  HF_453: before2017(1450288800, 'after', 'small referrer percentages are no longer multiplied by 100'),
  HF_483: before2017(1450378800, 'after', 'failed proposals leave no history entries'),
  HF_538: before2017(1456250400, 'from', 'buyback accounts'),
  HF_563: before2017(1456250400, 'from', 'fees of confidential operations go to accumulators'),
  HF_572: before2017(1456250400, 'from', 'permissions may come back while nothing is in circulation'),
  HF_1001: { when: 'from', mainnet: 1506787200, why: 'data commission from parameters, fees by contribution' },
  HF_1003: { when: 'from', mainnet: 1509292800, why: 'data commission goes to the commission account' },
  HF_1002: { when: 'after', mainnet: 1509465600, why: 'GXS balances count as votes until HF_1008' },
  HF_1004: { when: 'from', mainnet: 1524153600, why: 'limit orders end' },
  HF_1005: { when: 'after', mainnet: 1524153600, why: 'odd asset creation fees are split without a remainder' },
  HF_1006: { when: 'after', mainnet: 1534759200, why: 'contract code is validated when it is deployed' },
  HF_1008: { when: 'after', mainnet: 1541433600, why: 'the core asset becomes 1.3.1' },
  HF_1010: { when: 'after', mainnet: 1545796800, why: 'at least 21 active witnesses' },
  HF_1011: { when: 'after', mainnet: 1545796800, why: 'contract calls check their fee once more (always true)' },
  HF_1012: { when: 'after', mainnet: 1545796800, why: 'the committee follows from the active witnesses' },
  HF_1129: { when: 'after', mainnet: 1545796800, why: 'trust nodes pledge, the pledge counts as votes' },
  HF_1015: { when: 'after', mainnet: 1546084800, why: 'only contract accounts can be updated as contracts' },
  HF_1013: { when: 'after', mainnet: 1553832000, why: 'contract fees are converted in integers' },
  HF_1016: { when: 'after', mainnet: 1553832000, why: 'RAM is paid per account, contracts call contracts' },
  HF_1017: { when: 'after', mainnet: 1553832000, why: 'inline transfers of contracts' },
  HF_1019: { when: 'after', mainnet: 1553832000, why: 'transfers to contract accounts' },
  HF_1020: { when: 'after', mainnet: 1553832000, why: 'emptied contract tables are kept' },
  HF_1021: { when: 'after', mainnet: 1553832000, why: 'payer rules of secondary index updates' },
  HF_1022: { when: 'after', mainnet: 1585281600, why: 'contracts see public keys with prefix' },
  HF_1023: { when: 'after', mainnet: 1585281600, why: 'contracts can ask for the precision of an asset' },
  HF_1024: { when: 'after', mainnet: 1585281600, why: 'contract updates pay for growth' },
  /** The same moment with the other comparison: until then new code had to differ from the old. */
  HF_1024_SAME_CODE: { when: 'from', mainnet: 1585281600, why: 'a contract may be updated with identical code' },
  HF_1025: { when: 'after', mainnet: 1585281600, why: 'staking mode' },
  HF_1026: { when: 'after', mainnet: 1585281600, why: 'stakings expire whatever their node does' },
  HF_1027: { when: 'after', mainnet: 1585281600, why: 'only owners touch stakings; separate cashback balances' },
  HF_1028: { when: 'after', mainnet: 1585281600, why: 'a staking must move to another node' },
  HF_1029: { when: 'after', mainnet: 1608133197, why: 'staking rewards are computed with 128 bits' },
} as const satisfies Record<string, ForkRow>;

export type Fork = keyof typeof FORKS;
export type ForkTimes = Readonly<Record<Fork, number>>;

const names = Object.keys(FORKS) as Fork[];
const tableOf = (time: (fork: Fork) => number): ForkTimes =>
  Object.fromEntries(names.map((fork) => [fork, time(fork)])) as ForkTimes;

export const MAINNET_FORKS: ForkTimes = tableOf((fork) => FORKS[fork].mainnet);

/** Every rule in force from the first second; -1 makes `after` true even at time 0. */
export const ALL_FORKS_ACTIVE: ForkTimes = tableOf(() => -1);

/** The first second in which the rule is in force. */
export function activeFrom(times: ForkTimes, fork: Fork): number {
  return FORKS[fork].when === 'from' ? times[fork] : times[fork] + 1;
}

export function isActive(times: ForkTimes, fork: Fork, headTime: number): boolean {
  return headTime >= activeFrom(times, fork);
}
