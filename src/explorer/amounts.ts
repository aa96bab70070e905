import { h } from '../page/dom.js';
import type { Amount, ChainObject, FeeSchedule, Int, Operation } from './answers.js';
import { amountOf, decimal, operationName } from './names.js';
import { href } from './routes.js';

/** Numbers of operations and objects that are units of an asset, though nothing beside them says so: as amounts. */

type Fields = Readonly<Record<string, unknown>>;
/** What so many units of the asset are, as a value that can be shown. */
type Units = (units: Int) => unknown;

const ASSET_CREATE = 10;
const ASSET_UPDATE = 11;
const PARAMETERS_UPDATE = 31;

/** Fields of objects that are units of the core asset. */
const CORE_UNITS: Readonly<Record<string, readonly string[]>> = {
  'Free data product': ['price'],
  'League data product': ['refer_price'],
  League: ['prices'],
};

/** The same of operations that publish or change something of the data market. */
const PRICES = ['price', 'new_price', 'refer_price', 'new_refer_price', 'prices', 'new_prices'];
const HAS_PRICES = /data product|league/;

/** Parameters of the chain that are units of the core asset. */
const PARAMETER_UNITS = [
  'cashback_vesting_threshold',
  'witness_pay_per_block',
  'worker_budget_per_day',
  'fee_liquidation_threshold',
];
/** Of the scale of a fee schedule, one percent. */
const SCALE_PERCENT = 100;

const isRecord = (value: unknown): value is Fields => value !== null && typeof value === 'object';

const unitsOf =
  (asset_id: string): Units =>
  (amount) => ({ amount, asset_id });

function withUnits(fields: Fields, names: readonly string[], units: Units): Fields {
  const asAmount = (value: unknown): unknown => (Array.isArray(value) ? value.map(asAmount) : units(value as Int));
  const told = names.filter((name) => fields[name] !== undefined && fields[name] !== null);
  return { ...fields, ...Object.fromEntries(told.map((name) => [name, asAmount(fields[name])])) };
}

const withOptions = (options: unknown, units: Units): unknown =>
  isRecord(options) ? withUnits(options, ['max_supply', 'max_market_fee'], units) : options;

/** The rate of an asset that is made names another id, which stands for the new one: 1.3.2, and 1.3.1 on the oldest chains. */
function withRate(options: unknown, units: Units): unknown {
  if (!isRecord(options) || !isRecord(options.core_exchange_rate)) return options;
  const rate = options.core_exchange_rate as Readonly<Record<'base' | 'quote', Amount>>;
  const ids = [rate.base.asset_id, rate.quote.asset_id];
  const standsForIt = ids.includes('1.3.2') ? '1.3.2' : '1.3.1';
  const side = (amount: Amount): unknown => (amount.asset_id === standsForIt ? units(amount.amount) : amount);
  return { ...options, core_exchange_rate: { base: side(rate.base), quote: side(rate.quote) } };
}

/** An asset without an id yet is known by what makes it. */
function newAsset({ symbol, precision }: Fields): Units {
  const name = String(symbol);
  return (units) => amountOf(decimal(units, Number(precision)), h('a', { href: href('asset', name) }, name));
}

/** Each operation by its name, with what it costs: nothing, one fee, or several prices by their names. */
function feesByName({ parameters, scale }: FeeSchedule, units: Units): Fields {
  const rows = parameters.map(([tag, prices]) => {
    const names = Object.keys(prices);
    const amounts = withUnits(prices, names, units);
    const isFeeAlone = names.length === 1 && names[0] === 'fee';
    return [operationName(tag), names.length === 0 ? 'nothing' : isFeeAlone ? amounts.fee : amounts] as const;
  });
  return { scale: `${scale / SCALE_PERCENT} %`, ...Object.fromEntries(rows) };
}

/** Parameters of the chain. The fees of all operations are a long list, and stand last. */
function withFees(parameters: unknown, units: Units): unknown {
  if (!isRecord(parameters)) return parameters;
  const { current_fees, ...others } = parameters;
  return {
    ...withUnits(others, PARAMETER_UNITS, units),
    current_fees: feesByName(current_fees as FeeSchedule, units),
  };
}

export function operationFields([tag, body]: Operation, core: string): Fields {
  if (tag === ASSET_CREATE) {
    const units = newAsset(body);
    return { ...body, common_options: withRate(withOptions(body.common_options, units), units) };
  }
  if (tag === ASSET_UPDATE) {
    return { ...body, new_options: withOptions(body.new_options, unitsOf(String(body.asset_to_update))) };
  }
  if (tag === PARAMETERS_UPDATE) return { ...body, new_parameters: withFees(body.new_parameters, unitsOf(core)) };
  return HAS_PRICES.test(operationName(tag)) ? withUnits(body, PRICES, unitsOf(core)) : body;
}

export function objectFields(object: ChainObject, kind: string | undefined, core: string): Fields {
  const fields = withUnits({ ...object }, CORE_UNITS[kind ?? ''] ?? [], unitsOf(core));
  if (kind === 'Global properties') {
    const { parameters, pending_parameters: pending } = fields;
    const told = { ...fields, parameters: withFees(parameters, unitsOf(core)) };
    return pending === undefined ? told : { ...told, pending_parameters: withFees(pending, unitsOf(core)) };
  }
  return kind === 'Asset' ? { ...fields, options: withOptions(fields.options, unitsOf(object.id)) } : fields;
}
