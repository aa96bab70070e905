import { readFileSync } from 'node:fs';
import t from 'tap';
import { importedModules } from '../support/loaded-modules.js';
import { projectPath } from '../support/paths.js';

/** What the package hands out to programs loads what talks about the chain, and nothing that does what it says. */

interface Package {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}
const { exports } = JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as Package;

function fileOf(entry: string): string {
  const target = exports[entry];
  if (target === undefined || typeof target === 'string') throw new Error(`the package exports no ${entry}`);
  return target.default.replace('./', '');
}

const OWN = 'dist/src/';
/** Of the package's own modules; those of others are counted by their package. */
function loadedBy(entries: readonly string[]): { own: string[]; rooms: string[]; packages: string[] } {
  const modules = importedModules(entries);
  const own = modules.filter((module) => module.startsWith(OWN)).map((module) => module.slice(OWN.length));
  const rooms = new Set(own.map((module) => module.split('/')[0] as string));
  const packages = new Set(
    modules
      .filter((module) => module.startsWith('node_modules/'))
      .map((module) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(module)?.[1] as string),
  );
  return { own, rooms: [...rooms].sort(), packages: [...packages].sort() };
}

const DECLARATIONS = ['api', 'base', 'client', 'codec', 'crypto', 'protocol'];

t.test('the client that signs', async (t) => {
  const { own, rooms, packages } = loadedBy([fileOf('./client')]);
  t.ok(own.includes('client/open-client.js'), 'it is seen');
  t.ok(own.length <= 93, `${own.length} modules`, { own });
  t.same(rooms, DECLARATIONS);
  t.same(packages, ['@noble/hashes', '@noble/secp256k1'], 'what a WebSocket needs is loaded with the first of them');
});

t.test('the client below it, which asks and no more', async (t) => {
  const { own, rooms, packages } = loadedBy(['dist/src/client/client.js']);
  t.ok(own.includes('client/client.js'), 'it is seen');
  t.ok(own.length <= 61, `${own.length} modules`, { own });
  t.same(rooms, DECLARATIONS);
  t.same(packages, [], 'what a WebSocket needs is loaded with the first of them');
});

t.test('what makes and signs transactions', async (t) => {
  const { own, rooms } = loadedBy(['./client', './transactions', './keys'].map(fileOf));
  t.ok(own.length <= 95, `${own.length} modules`, { own });
  t.same(rooms, DECLARATIONS);
});

t.test('the parts of the wallet', async (t) => {
  const { own, rooms } = loadedBy(['./client', './wallet'].map(fileOf));
  t.ok(own.includes('client/confirmation.js'));
  t.ok(own.length <= 115, `${own.length} modules`, { own });
  t.same(rooms, [...DECLARATIONS, 'wallet'], 'no chain, no state, no contract engine');
});

t.test('the whole wallet is handed what it knows of the chain', async (t) => {
  const { rooms } = loadedBy(['dist/src/wallet/wallet.js', 'dist/src/wallet/prompt/prompt.js']);
  t.notOk(rooms.includes('chain'));
  t.notOk(rooms.includes('operations'));
});

t.test('declarations of operations alone', async (t) => {
  const file = fileOf('./operations/*').replace('*', 'transfers');
  const { own, rooms } = loadedBy([file]);
  t.ok(own.includes('protocol/operations/transfers.js'));
  t.same(rooms, ['base', 'codec', 'crypto', 'protocol']);
});

t.test('what buyers and sellers of data need', async (t) => {
  const { own, rooms } = loadedBy(['./exchange', './keys'].map(fileOf));
  t.ok(own.includes('trade/buyer.js'));
  t.ok(own.length <= 50, `${own.length} modules`, { own });
  t.same(rooms, ['base', 'codec', 'crypto', 'protocol', 'trade']);
});

t.test('more than that would be seen', async (t) => {
  const { own, rooms } = loadedBy(['dist/src/rpc/rpc.js']);
  t.ok(own.length > 60);
  t.ok(rooms.includes('state'));
});
