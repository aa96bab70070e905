import type { AnyMethodDeclaration, ApiDeclaration } from '../../api/define.js';
import type { AnyType } from '../../codec/type.js';
import { RPC_INTRODUCTION } from './introduction.js';

/** docs/rpc.md: an introduction, then every method and type from their declarations. */
export function rpcMarkdown(apis: readonly ApiDeclaration[]): string {
  const structs = new Map<string, AnyType>();
  const parts = [RPC_INTRODUCTION];
  for (const api of apis) parts.push(apiSection(api, structs));
  parts.push(typesSection(structs));
  return `${parts.join('\n\n')}\n`;
}

function apiSection(api: ApiDeclaration, structs: Map<string, AnyType>): string {
  const how =
    api.name === 'database'
      ? 'Called by name: `{"method":"get_objects","params":[…]}`, or through `call` with `"database"`.'
      : `Called by both names: \`{"method":"${api.name}.<method>","params":[…]}\`, or as SDKs do, through \`call\`: \`{"method":"call","params":["${api.name}","<method>",[…]]}\`.`;
  const methods = Object.entries(api.methods).map(([name, definition]) => methodText(name, definition, structs));
  return [`## ${api.name}`, `${api.about} ${how}`, ...methods].join('\n\n');
}

function methodText(name: string, definition: AnyMethodDeclaration, structs: Map<string, AnyType>): string {
  const params = Object.entries(definition.params as Record<string, AnyType>);
  const list = params.map(([param, type]) => `${param}: ${typeText(type, structs)}`).join(', ');
  const result = typeText(definition.result as AnyType, structs);
  return [`### ${name}`, `\`(${list})\` → \`${result}\``, definition.about].join('\n\n');
}

/** Short names as a person would write them. */
function typeText(type: AnyType, structs: Map<string, AnyType>): string {
  const { shape } = type;
  switch (shape.kind) {
    case 'struct':
    case 'extension':
    case 'either':
      remember(type, structs);
      return type.name;
    case 'variant':
      return type.name;
    case 'array':
    case 'set':
      return `[${typeText(shape.of, structs)}]`;
    case 'optional':
      return `${typeText(shape.of, structs)}?`;
    case 'pair':
      return `[${typeText(shape.key, structs)}, ${typeText(shape.of, structs)}]`;
    case 'map':
      return `[[${typeText(shape.key, structs)}, ${typeText(shape.of, structs)}]]`;
    default:
      return type.name;
  }
}

function remember(type: AnyType, structs: Map<string, AnyType>): void {
  if (structs.has(type.name)) return;
  structs.set(type.name, type);
}

function typesSection(structs: Map<string, AnyType>): string {
  const lines: string[] = [];
  // Describing a type may name further ones; the map grows while it is walked.
  for (const type of structs.values()) {
    const { shape } = type;
    if (shape.kind === 'either') {
      const forms = shape.of.map((form) => `\`${typeText(form, structs)}\``);
      lines.push(`- **${type.name}** ${forms.join(' or ')}`);
    }
    if (shape.kind !== 'struct' && shape.kind !== 'extension') continue;
    const members = shape.fields.map(([name, field]) => `${name}: ${typeText(field, structs)}`);
    lines.push(`- **${type.name}** \`{ ${members.join(', ')} }\``);
  }
  lines.sort((a, b) => (a < b ? -1 : 1));
  return [
    '## Types',
    'Members in the order of the answer; those with `?` are left out when they are not set.',
    lines.join('\n'),
  ].join('\n\n');
}
