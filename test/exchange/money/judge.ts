/** What has to be true of money and data after a run, from what buyers were shown and what stands in blocks alone. */

export type ReleaseAt = 'accepted' | 'included' | 'final';

/** One source's share of one purchase, as its buyer has seen it last. */
export interface LegSeen {
  readonly signature: string;
  readonly buyer: string;
  readonly source: string;
  /** Empty where the buyer was never told anything. */
  readonly status: string;
  readonly txid: string | null;
  /** Whether data was shown that is what the source has sealed. */
  readonly isData: boolean;
  /** That the exchange itself counts it as lost. */
  readonly isLost: boolean;
}

/** A `proxy_transfer` in a block. */
export interface Charge {
  readonly signature: string;
  readonly txid: string;
  readonly from: string;
  readonly to: string;
  readonly units: bigint;
  readonly percent: number;
  /** Paid by the exchange. */
  readonly fee: bigint;
}

/** Any other transfer of one of them, with its fee. */
export interface Moved {
  readonly from: string;
  readonly to: string;
  readonly units: bigint;
  readonly fee: bigint;
}

export interface Account {
  readonly id: string;
  readonly before: bigint;
  readonly after: bigint;
}

export interface Evidence {
  readonly releaseAt: ReleaseAt;
  readonly price: bigint;
  readonly percent: number;
  readonly exchange: string;
  readonly accounts: readonly Account[];
  readonly legs: readonly LegSeen[];
  readonly charges: readonly Charge[];
  readonly moved: readonly Moved[];
  /** Whether any block was, with the payments in it. */
  readonly isUndone: boolean;
}

const PARTS = 10_000n;
const sum = (list: readonly bigint[]): bigint => list.reduce((all, one) => all + one, 0n);
const shown = (signature: string): string => signature.slice(0, 16);

/** Each sentence is a broken promise. */
export function judge(evidence: Evidence): string[] {
  return [...chargeFaults(evidence), ...dataFaults(evidence), ...balanceFaults(evidence)];
}

function chargeFaults({ legs, charges, price, percent }: Evidence): string[] {
  const problems: string[] = [];
  const known = new Map(legs.map((leg) => [leg.signature, leg]));
  const seen = new Set<string>();
  for (const charge of charges) {
    const name = shown(charge.signature);
    if (seen.has(charge.signature)) problems.push(`${name} is charged twice`);
    seen.add(charge.signature);
    const leg = known.get(charge.signature);
    if (leg === undefined) problems.push(`${name} is charged, and nobody has asked for it`);
    else {
      if (leg.status !== 'SUCCESS')
        problems.push(`${name} is charged, and its buyer was told ${leg.status || 'nothing'}`);
      else if (leg.txid !== charge.txid) problems.push(`${name} is charged by ${charge.txid}, not by ${leg.txid}`);
      if (leg.buyer !== charge.from || leg.source !== charge.to) problems.push(`${name} is charged to somebody else`);
      if (leg.isLost) problems.push(`${name} is charged, and counted as lost`);
    }
    if (charge.units !== price || charge.percent !== percent) problems.push(`${name} is charged at another price`);
  }
  return problems;
}

function dataFaults({ legs, charges, price, releaseAt, isUndone }: Evidence): string[] {
  const problems: string[] = [];
  const charged = new Set(charges.map(({ signature }) => signature));
  const delivered = legs.filter(({ status }) => status === 'SUCCESS');
  for (const { signature, isData } of delivered) {
    if (!isData) problems.push(`${shown(signature)} is a success without the data of its source`);
  }
  for (const { signature, status, isData } of legs) {
    if (isData && status !== 'SUCCESS') problems.push(`${shown(signature)} has shown data and is ${status}`);
  }
  const unpaid = delivered.filter(({ signature }) => !charged.has(signature));
  if (releaseAt === 'final')
    for (const { signature } of unpaid) problems.push(`${shown(signature)}: data without charge`);
  if (releaseAt === 'included' && unpaid.length > 0 && !isUndone) {
    problems.push(`${unpaid.length} times data without charge, and no block was undone`);
  }
  for (const { signature, isLost } of unpaid) {
    if (!isLost) problems.push(`${shown(signature)}: data without charge, and it is not counted as lost`);
  }
  const lost = legs.filter(({ isLost }) => isLost);
  for (const { signature, status } of lost) {
    if (status !== 'SUCCESS') problems.push(`${shown(signature)} is counted as lost, and is ${status || 'unknown'}`);
  }
  const difference = price * BigInt(delivered.length) - sum(charges.map(({ units }) => units));
  const lostUnits = price * BigInt(lost.length);
  if (difference !== lostUnits) problems.push(`shown and paid differ by ${difference}, and ${lostUnits} are lost`);
  return problems;
}

function balanceFaults({ accounts, legs, charges, moved, price, percent, exchange }: Evidence): string[] {
  const problems: string[] = [];
  const share = (price * BigInt(percent)) / PARTS;
  for (const { id, before, after } of accounts) {
    // What its owner was shown, not what the chain says.
    const taken = legs.filter((leg) => leg.status === 'SUCCESS' && !leg.isLost);
    const bought = price * BigInt(taken.filter(({ buyer }) => buyer === id).length);
    const sold = (price - share) * BigInt(taken.filter(({ source }) => source === id).length);
    const kept = id === exchange ? share * BigInt(taken.length) - sum(charges.map(({ fee }) => fee)) : 0n;
    const out = sum(moved.filter(({ from }) => from === id).map(({ units, fee }) => units + fee));
    const into = sum(moved.filter(({ to }) => to === id).map(({ units }) => units));
    const expected = before - bought + sold + kept - out + into;
    if (after !== expected) problems.push(`${id} has ${after}, and was shown ${expected}`);
  }
  return problems;
}

/** What one buyer sees of one request, look after look: some of it may never change again. */
export class RequestSeen {
  #isFinished = false;
  readonly #legs = new Map<string, { readonly status: string; readonly data: unknown; readonly txid: string | null }>();
  readonly problems: string[] = [];

  get isFinished(): boolean {
    return this.#isFinished;
  }

  leg(source: string): { readonly status: string; readonly data: unknown; readonly txid: string | null } | undefined {
    return this.#legs.get(source);
  }

  see(result: {
    readonly status: string;
    readonly datasources: readonly {
      readonly datasource: string;
      readonly status: string;
      readonly data: unknown;
      readonly txid: string | null;
    }[];
  }): void {
    if (this.#isFinished && result.status !== 'FINISHED') this.problems.push(`FINISHED became ${result.status}`);
    this.#isFinished ||= result.status === 'FINISHED';
    const now = new Map(result.datasources.map((leg) => [leg.datasource, leg]));
    for (const [source, before] of this.#legs) {
      const leg = now.get(source);
      if (before.status !== 'SUCCESS') continue;
      if (leg?.status !== 'SUCCESS') this.problems.push(`SUCCESS of ${source} became ${leg?.status ?? 'nothing'}`);
      else if (leg.data !== before.data) this.problems.push(`the data of ${source} became other data`);
    }
    for (const [source, { status, data, txid }] of now) this.#legs.set(source, { status, data, txid });
  }
}
