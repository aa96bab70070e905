import { type FoundObject, foundObject } from '../../api/types.js';
import { type ObjectIdParts, unpackObjectId } from '../../protocol/ids.js';
import { accountHistoryRecord, operationHistoryRecord } from '../../protocol/objects/chain.js';
import { type AnyObjectDeclaration, objectOf } from '../../protocol/objects/declare.js';
import { declarationOf } from '../../protocol/objects/index.js';
import type { AnyObjectDef, StateObject } from '../../state/define.js';
import { type AccountStatisticsObject, accountStatisticsObject } from '../../state/objects/account-statistics.js';
import { OBJECTS } from '../../state/objects/index.js';
import { printerOf } from '../pieces/printers.js';
import { printsBy } from '../pieces/printing-type.js';
import type { RpcPorts } from '../ports.js';

const definitions = new Map<unknown, AnyObjectDef>(OBJECTS.map((definition) => [definition.schema, definition]));

type Readers = Pick<RpcPorts, 'chain' | 'history'>;
type Statistics = Readonly<AccountStatisticsObject>;

/** With what the history has counted. */
export function withCounts({ history }: Pick<Readers, 'history'>, statistics: Statistics): Statistics {
  const counts = history?.counts(statistics.owner);
  return counts === undefined ? statistics : { ...statistics, ...counts };
}

/** An object of the state or of the history. Refuses an id of a type that does not exist. */
export function findObject(node: Readers, id: bigint): FoundObject | undefined {
  const parts = unpackObjectId(id);
  const definition = declarationOf(parts.space, parts.type);
  const object = read(node, definition, parts);
  return object === undefined ? undefined : { definition, object };
}

function read(node: Readers, definition: AnyObjectDeclaration, { instance }: ObjectIdParts): StateObject | undefined {
  if (definition === operationHistoryRecord) return node.history?.operation(instance);
  if (definition === accountHistoryRecord) return node.history?.entry(instance);
  const stored = definitions.get(definition.schema) as AnyObjectDef;
  const object = node.chain.state.find(stored, instance) as StateObject | undefined;
  if (object === undefined || definition.schema !== accountStatisticsObject.schema) return object;
  return withCounts(node, object as Statistics);
}

printsBy(foundObject, (found, network) =>
  found === undefined ? 'null' : printerOf(objectOf(found.definition))(found.object, network),
);
