/** What a contract call did before it was refused, as `dev_trace` has it. See docs/dev-chain.md. */

export interface CallTrace {
  readonly contract: string;
  readonly action: string;
  /** Read by the ABI; as hex where that does not fit. */
  readonly arguments: unknown;
  readonly sender: string;
  /** Money that came along. */
  readonly amount?: TracedAmount;
  readonly prints: string;
  /** The reason, in every action that was under way: the innermost one is where it happened. */
  readonly failed?: string;
  /** In the order in which it did them. */
  readonly inline: readonly (CallTrace | TransferTrace)[];
}

export interface TransferTrace {
  readonly transfer: { readonly from: string; readonly to: string; readonly amount: TracedAmount };
}

export interface TracedAmount {
  readonly amount: string;
  readonly asset_id: string;
}

/** Longer arguments are cut in the text; the trace has all of them. */
const ARGUMENTS_MAX = 400;

const isCall = (one: CallTrace | TransferTrace): one is CallTrace => 'action' in one;
const amountText = ({ amount, asset_id }: TracedAmount): string => `${amount} of ${asset_id}`;

/** All that was printed, outer actions first. */
export function printsOf({ prints, inline }: CallTrace): string {
  return [prints.replace(/\n$/, ''), ...inline.filter(isCall).map(printsOf)].filter((text) => text !== '').join('\n');
}

/** A line for each action and payment, for each line that was printed, and for what failed; inner ones further in. */
export function traceText(trace: CallTrace, indent = '  '): string {
  return lines(trace)
    .map((line) => `${indent}${line}`)
    .join('\n');
}

function lines(trace: CallTrace): string[] {
  const { contract, action, arguments: given, sender, amount, prints, failed, inline } = trace;
  const money = amount === undefined ? '' : `, with ${amountText(amount)}`;
  const isInnermost = !inline.some((one) => isCall(one) && one.failed !== undefined);
  const inside = [
    ...prints.split('\n').flatMap((line) => (line === '' ? [] : [`| ${line}`])),
    ...inline.flatMap((one) => (isCall(one) ? lines(one) : [payment(one)])),
    ...(failed !== undefined && isInnermost ? [`! ${failed}`] : []),
  ];
  const call = `${contract}.${action}${argumentsText(given)} from ${sender}${money}`;
  return [call, ...inside.map((line) => `  ${line}`)];
}

const payment = ({ transfer: { from, to, amount } }: TransferTrace): string =>
  `pays ${amountText(amount)} from ${from} to ${to}`;

function argumentsText(given: unknown): string {
  // An action without any.
  if (given === '') return '';
  const text = JSON.stringify(given, (_, value) => (typeof value === 'bigint' ? String(value) : value)) ?? '';
  return ` ${text.length <= ARGUMENTS_MAX ? text : `${text.slice(0, ARGUMENTS_MAX)}…`}`;
}
