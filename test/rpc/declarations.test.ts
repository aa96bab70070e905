import t from 'tap';
import { blockMethods, testMethods } from '../../src/api/chain.js';
import { objectMethods } from '../../src/api/contracts.js';
import { API_DECLARATIONS } from '../../src/api/index.js';
import { APIS } from '../../src/rpc/apis/index.js';
import { implement } from '../../src/rpc/define.js';
import { openRpcDocument } from '../../src/rpc/described/open-rpc.js';

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
