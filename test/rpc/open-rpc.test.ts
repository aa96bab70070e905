import t from 'tap';
import type { Json, JsonObject } from '../../src/codec/json.js';
import { APIS } from '../../src/rpc/apis/index.js';
import { callForm } from '../../src/rpc/described/open-rpc.js';
import { askable, goldenPorts } from './support/golden-rpc.js';

interface Document {
  readonly openrpc: string;
  readonly methods: {
    readonly name: string;
    readonly params: { readonly name: string }[];
    readonly description: string;
  }[];
  readonly components: { readonly schemas: Record<string, JsonObject> };
}

const { ask } = askable(goldenPorts());
const document = JSON.parse((await ask('http', '{"id":1,"method":"rpc.discover"}')) ?? '').result as Document;

t.test('rpc.discover names every method with its arguments', async (t) => {
  t.match(document.openrpc, /^1\./);
  const declared = APIS.flatMap(({ name, methods }) =>
    Object.entries(methods).map(([method, { params }]) => [callForm(name, method), Object.keys(params)]),
  );
  t.same(
    document.methods.map(({ name, params }) => [name, params.map((one) => one.name)]),
    declared,
  );
  for (const { name, description } of document.methods) t.ok(description.endsWith('.'), `${name} is described`);
});

t.test('every name can be called as it stands there', async (t) => {
  for (const { name } of document.methods) {
    const request = JSON.stringify({ id: 1, method: name, params: { 'no such argument': 1 } });
    const { error } = JSON.parse((await ask('http', request)) ?? '') as { error: { data: { key: string } } };
    // The method was found, and has refused what it was given; or nobody but the operator may use it.
    t.match(error.data.key, /^(rpc_argument_unknown|rpc_api_not_enabled|rpc_operator)$/, name);
  }
});

t.test('every reference leads somewhere, and no name stands for two things', async (t) => {
  const { schemas } = document.components;
  const visit = (value: Json): void => {
    if (value === null || typeof value !== 'object') return;
    if (!Array.isArray(value) && typeof value.$ref === 'string') {
      t.ok(schemas[value.$ref.replace('#/components/schemas/', '')], value.$ref);
    }
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(document as unknown as Json);
  const names = new Map<string, unknown>();
  for (const { methods } of APIS) {
    for (const { result } of Object.values(methods)) {
      const known = names.get(result.name);
      if (result.shape.kind === 'struct' && known !== undefined) t.equal(known, result, result.name);
      names.set(result.name, result);
    }
  }
});

t.test('answers fit their schemas, member for member', async (t) => {
  const { schemas } = document.components;
  const result = async (method: string, params: unknown[]): Promise<JsonObject> =>
    JSON.parse((await ask('http', JSON.stringify({ id: 1, method, params }))) ?? '').result;
  for (const [name, value] of [
    ['account', await result('get_account_by_name', ['alice'])],
    ['dynamic_global_property', await result('get_dynamic_global_properties', [])],
    ['block_with_info', await result('get_block', [700])],
  ] as const) {
    const known = Object.keys((schemas[name] as { properties: JsonObject }).properties);
    const required = (schemas[name] as { required: string[] }).required;
    for (const member of Object.keys(value)) t.ok(known.includes(member), `${name}.${member} is declared`);
    for (const member of required) t.ok(Object.hasOwn(value, member), `${name}.${member} is there`);
  }
});

t.test('a member that may be absent has the schema of its value, and is not required', async (t) => {
  const account = document.components.schemas.account as { properties: JsonObject; required: string[] };
  t.same(account.properties.cashback_vb, { type: 'string', title: 'vesting_balance_id' });
  const global = document.components.schemas.global_property as { properties: JsonObject; required: string[] };
  t.ok(global.required.includes('parameters'));
  t.notOk(account.required.includes('cashback_vb'));
  t.ok(account.required.includes('statistics'));
});
