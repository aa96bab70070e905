import t from 'tap';
import { blockMethods, testMethods, transactionMethods } from '../../src/api/chain.js';
import { objectMethods, tableParams } from '../../src/api/contracts.js';
import { API_DECLARATIONS } from '../../src/api/index.js';
import { historyApi } from '../../src/api/readers.js';
import { APIS } from '../../src/rpc/apis/index.js';
import { implement } from '../../src/rpc/define.js';
import { openRpcDocument } from '../../src/rpc/described/open-rpc.js';
import { NETWORK } from '../support/network.js';

t.test('the node does what is declared, in its order, and nothing else', async (t) => {
  t.same(
    APIS.map(({ name }) => name),
    API_DECLARATIONS.map(({ name }) => name),
  );
  APIS.forEach((api, i) => {
    const declared = API_DECLARATIONS[i];
    t.same(Object.keys(api.methods), Object.keys(declared?.methods ?? {}), api.name);
    t.equal(api.about, declared?.about);
    for (const [name, method] of Object.entries(api.methods)) {
      const { run, ...rest } = method;
      t.type(run, 'function', `${api.name}.${name}`);
      t.strictSame(rest, declared?.methods[name]);
    }
  });
  t.same(openRpcDocument(APIS), openRpcDocument(API_DECLARATIONS), 'the document is written from the declarations');
});

t.test('a method that gives or takes something else than is declared does not compile', async (t) => {
  const { get_test } = testMethods;
  // @ts-expect-error a number is declared
  implement({ get_test }, { get_test: () => 'one hundred' });
  // @ts-expect-error a declared method is missing
  implement({ get_test }, {});
  const { get_block_header } = blockMethods;
  // @ts-expect-error the argument is called block_num
  implement({ get_block_header }, { get_block_header: (_, { number }) => number });
  const { get_objects } = objectMethods;
  // @ts-expect-error a list of objects is declared, not of their ids
  implement({ get_objects }, { get_objects: (_, { ids }) => ids });
  const done = implement({ get_test }, { get_test: () => 100 });
  t.equal(done.get_test.about, get_test.about);
});

t.test('what a question for rows of a table leaves out, and what is not there', async (t) => {
  t.same(tableParams.fromJson({}), {
    lower_bound: 0n,
    upper_bound: 2n ** 64n - 1n,
    limit: 10n,
    index_position: '1',
    reverse: false,
  });
  t.same(objectMethods.get_objects.result.fromJson([null], NETWORK), [undefined]);
});

t.test('what histories answer is typed', async (t) => {
  const item = {
    id: '1.11.157',
    op: [
      0,
      {
        fee: { amount: 5000, asset_id: '1.3.1' },
        from: '1.2.17',
        to: '1.2.6',
        amount: { amount: '19922140000', asset_id: '1.3.1' },
        extensions: [],
      },
    ],
    result: [0, {}],
    block_num: 472,
    trx_in_block: 0,
    op_in_trx: 0,
    virtual_op: 62221,
  };
  const { get_account_history, get_account_history_by_operations, ...others } = historyApi.methods;
  for (const { result } of [get_account_history, ...Object.values(others)]) {
    const [read] = result.fromJson([item], NETWORK);
    t.match(read, { id: 157, op: [0, { from: 17, to: 6 }], block_num: 472, virtual_op: 62221 });
    t.strictSame(result.toJson(read === undefined ? [] : [read], NETWORK), [item]);
  }
  const window = { total_without_operations: 7, operation_history_objs: [item] };
  const ofTypes = get_account_history_by_operations.result;
  t.strictSame(ofTypes.toJson(ofTypes.fromJson(window, NETWORK), NETWORK), window);
  const relative = {
    total_relative_ops_number: 4,
    ops: [{ op_index: '1.2.17_2', op: item.op, is_virtual: false }],
  };
  const { result } = blockMethods.get_account_relative_ops;
  t.strictSame(result.toJson(result.fromJson(relative, NETWORK), NETWORK), relative);
  t.equal(result.toJson(undefined, NETWORK), null, 'without the plugin');
});

t.test('a fee is an amount, and of a proposal its own and those of what it proposes', async (t) => {
  const { result } = transactionMethods.get_required_fees;
  const fee = (amount: number) => ({ amount, asset_id: '1.3.1' });
  const json = [fee(1), [fee(2), [fee(3), [fee(4), [fee(5)]]]]];
  const read = result.fromJson(json, NETWORK);
  t.equal(read[0]?.inner, undefined);
  t.same(read[1]?.inner?.[1]?.inner?.[0]?.fee, { amount: 5n, asset_id: 1 });
  t.strictSame(result.toJson(read, NETWORK), json);
  const { schemas } = openRpcDocument(API_DECLARATIONS).components as { schemas: Record<string, unknown> };
  t.match(schemas.required_fee, { oneOf: [{}, { type: 'array' }] });
});
