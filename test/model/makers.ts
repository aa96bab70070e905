import { decode, encode } from '../../src/codec/binary.js';
import { definitionOf } from '../../src/operations/registered.js';
import type { Operation, OperationBody } from '../../src/protocol/operation-slot.js';
import type { SeededRandom } from '../sim/random.js';
import { ACCOUNT_MAKERS } from './account-makers.js';
import { ASSET_MAKERS } from './asset-makers.js';
import { CONFIDENTIAL_MAKERS } from './confidential-makers.js';
import { GOVERNANCE_MAKERS } from './governance-makers.js';
import type { Model } from './model.js';
import { MONEY_MAKERS } from './money-makers.js';
import { proposalMakers } from './proposal-makers.js';
import { STALE_MAKERS } from './stale-makers.js';
import { type Maker, Tools } from './tools.js';

/** Operations that are right or nearly right for the state of the model. */
export class Makers {
  readonly #tools: Tools;
  readonly #makers: ReadonlyMap<number, Maker>;

  constructor(m: Model, random: SeededRandom) {
    this.#tools = new Tools(m, random);
    const all = [
      ...ACCOUNT_MAKERS,
      ...ASSET_MAKERS,
      ...MONEY_MAKERS,
      ...CONFIDENTIAL_MAKERS,
      ...STALE_MAKERS,
      ...GOVERNANCE_MAKERS,
      ...proposalMakers((tag) => this.operation(tag)),
    ];
    this.#makers = new Map(all.map((one) => [one.tag, one]));
  }

  /** `target`: what it should be about. */
  operation(tag: number, target?: Tools['target']): Operation {
    const tools = this.#tools;
    tools.target = target;
    const { schema } = definitionOf(tag);
    const given = this.#makers.get(tag)?.make(tools, tools.rich()) ?? {};
    const body = { ...(schema.default() as unknown as OperationBody), ...given } as OperationBody;
    const once = decode(schema, encode(schema, body as never)) as unknown as OperationBody;
    if (given.fee === undefined) once.fee = tools.fee(tag, once);
    return [tag, decode(schema, encode(schema, once as never)) as unknown as OperationBody];
  }
}
