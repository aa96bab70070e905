import { objectFields } from '../amounts.js';
import type { ChainObject } from '../answers.js';
import { OBJECT_ID } from '../names.js';
import { NotFound, type View } from '../page.js';
import { json, quiet, section } from '../parts.js';
import { type Proposal, proposalBody } from './proposals.js';

const KINDS: Readonly<Record<string, string>> = {
  '1.2': 'Account',
  '1.3': 'Asset',
  '1.4': 'Force settlement',
  '1.5': 'Committee member',
  '1.6': 'Witness',
  '1.7': 'Limit order',
  '1.8': 'Call order',
  '1.10': 'Proposal',
  '1.11': 'Entry of a history',
  '1.12': 'Withdraw permission',
  '1.13': 'Vesting balance',
  '1.14': 'Worker',
  '1.15': 'Balance of the genesis',
  '1.16': 'Category of the data market',
  '1.17': 'Free data product',
  '1.18': 'League data product',
  '1.19': 'League',
  '1.20': 'Data transaction',
  '2.0': 'Global properties',
  '2.1': 'Dynamic global properties',
  '2.3': 'Dynamic data of an asset',
  '2.5': 'Balance of an account',
  '2.6': 'Statistics of an account',
};

/** `#/object/1.2.3`: any object, its fields with links. */
export const objectView: View = async (page, [id = '']) => {
  if (!OBJECT_ID.test(id)) throw new NotFound(`${id} is no id of an object.`);
  const [object] = (await page.node.tryCall<(ChainObject | null)[]>('get_objects', [id])) ?? [];
  const kind = KINDS[id.split('.').slice(0, 2).join('.')];
  const title = kind === undefined ? `Object ${id}` : `${kind} ${id}`;
  // Results of operations name objects that have done their work: proposals, orders, stakes.
  if (!object) return { title, body: [quiet('It is not on the chain: it is gone, or has not been there.')] };
  const fields = objectFields(object, kind, page.core);
  await page.names.prepare(fields);
  if (kind === 'Proposal')
    return { title, body: [section('What would be done', proposalBody(page, object as Proposal))] };
  return {
    title,
    body: [section('Fields', page.names.fields(fields)), json(object)],
  };
};
