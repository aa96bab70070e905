import { readFileSync } from 'node:fs';
import t from 'tap';
import { loadedModules } from '../support/loaded-modules.js';
import { projectPath } from '../support/paths.js';

/**
 * What is loaded before a command line is answered, which is what its time goes into. Counted, because a clock would
 * measure the machine. A bare Node starts in the time that some forty modules take.
 */

const { keys } = JSON.parse(readFileSync(projectPath('test/vectors/protocol.json'), 'utf8')) as {
  keys: { wif: string }[];
};
const WIF = keys[0]?.wif ?? '';

const own = (modules: readonly string[], room: string): string[] =>
  modules.filter((module) => module.startsWith(`dist/src/${room}/`));

for (const [args, most] of [
  [['--version'], 8],
  [['--help'], 15],
  [['keys', '--help'], 18],
  [['keys', 'new'], 32],
  // The old forms of its address take a point of the native curve.
  [['keys', 'show', WIF], 45],
  [['keys', 'sign-message', 'hello', '--wif', WIF], 45],
] as const) {
  t.test(args.slice(0, 2).join(' '), async (t) => {
    const modules = loadedModules(args);
    t.ok(modules.includes('dist/src/bin/trustnode.js'), 'it is seen');
    t.ok(modules.length <= most, `${modules.length} modules`, { modules });
    for (const room of ['chain', 'operations', 'rpc', 'state', 'storage', 'verify', 'vm', 'witness']) {
      t.same(own(modules, room), [], `nothing of ${room}`);
    }
  });
}

t.test('the node itself is loaded when it is to start', async (t) => {
  t.ok(own(loadedModules(['start', '--no-such-option']), 'chain').length > 10);
});
