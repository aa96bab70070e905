import t from 'tap';
import { COMMANDS } from '../../src/wallet/commands/index.js';
import { openRecorded, recordedHistory } from './support/frozen.js';
import { FrozenSession, programWay, type Way } from './support/frozen-session.js';
import { askOtherCommands, OTHERS } from './support/other-commands.js';
import { type Ask, askOverHttp, askOverSocket, serve, TLS } from './support/served.js';

/**
 * Every command over every way in that programs have: the recorded sessions are answered as recorded over each, and what
 * did not occur in them is asked besides.
 */

const history = await recordedHistory();
t.teardown(() => history.close());
const BEGIN_MS = 1_795_293_900_000;
/** Of 520: the others are printed by the prompt in a form of its own. */
const EQUAL = 459;

const frozen: (() => Promise<void> | void)[] = [];
t.teardown(async () => {
  for (const close of frozen.reverse()) await close();
});

interface Program {
  readonly ask: Ask;
  close(): Promise<void> | void;
}

const WAYS: Readonly<Record<string, (wallet: Parameters<typeof serve>[0]) => Promise<Program>>> = {
  'plain HTTP': async (wallet) => {
    const server = await serve(wallet, 'http');
    return { ask: askOverHttp(server.port), close: () => server.close() };
  },
  HTTP: async (wallet) => {
    const server = await serve(wallet, 'rpc');
    return { ask: askOverHttp(server.port), close: () => server.close() };
  },
  WebSocket: async (wallet) => {
    const server = await serve(wallet, 'rpc');
    const socket = await askOverSocket(server.port);
    const close = (): Promise<void> => {
      socket.close();
      return server.close();
    };
    return { ask: socket.ask, close };
  },
  'WebSocket over TLS': async (wallet) => {
    const server = await serve(wallet, 'rpc', TLS);
    const socket = await askOverSocket(server.port, true);
    const close = (): Promise<void> => {
      socket.close();
      return server.close();
    };
    return { ask: socket.ask, close };
  },
};

const opened: { readonly name: string; readonly way: Way; readonly given: ReadonlySet<string> }[] = [];

for (const [name, open] of Object.entries(WAYS)) {
  t.test(`${name}: the recorded sessions`, { timeout: 600_000 }, async (t) => {
    const { wallet, clock, folder, remove } = await openRecorded('10-frozen-start.json', history.link, BEGIN_MS);
    frozen.push(remove);
    const program = await open(wallet);
    frozen.push(program.close);
    const way = programWay(program.ask, clock);
    const session = new FrozenSession(way, folder);
    await session.run();
    t.comment(JSON.stringify(Object.fromEntries(session.counts)));
    for (const { what, wanted, found } of session.differing) t.fail(what, { wanted, found });
    t.equal(session.equal, EQUAL, 'as recorded, but for what the rules name');
    opened.push({ name, way, given: session.given });
  });
}

// These change the chain: only when all have seen it as it was.
t.test('what did not occur in them', { timeout: 600_000 }, async (t) => {
  t.equal(opened.length, Object.keys(WAYS).length);
  for (const [n, { name, way, given }] of opened.entries()) {
    await t.test(name, async (t) => {
      await askOtherCommands(t, way, n);
      const never = Object.keys(COMMANDS).filter((command) => !given.has(command) && !(command in OTHERS));
      t.same(never, ['get_tps'], 'every command was given, but for the one that takes a minute');
    });
  }
});
