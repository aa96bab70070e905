import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Fields } from '../../src/codec/struct.js';
import { COMMANDS } from '../../src/wallet/commands/index.js';
import { parseLine } from '../../src/wallet/text/line.js';
import { PseudoTerminal } from '../support/pseudo-terminal.js';
import { walletVector } from '../support/wallet-vectors.js';
import { recordedHistory } from './support/frozen.js';
import { FrozenSession, promptWay } from './support/frozen-session.js';
import { askOtherCommands, OTHERS } from './support/other-commands.js';

/**
 * Every command at the prompt of the program itself, typed at a pseudo terminal, against a node that serves the recorded
 * chain. Its clock is that of the machine: what shows it is compared without it.
 */

const history = await recordedHistory();
t.teardown(() => history.close());
const folder = mkdtempSync(join(tmpdir(), 'wallet-prompt-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'wallet.json');
copyFileSync(walletVector('files', '10-frozen-start.json'), file);
const args = ['wallet', '-w', file, '-s', await history.serve(), '--yes', '--lock-after', '0'];
const terminal = new PseudoTerminal(args);
t.teardown(() => terminal.stop());
await terminal.until('locked >>> ');

/** Messages that the wallet writes between what is typed and answered. */
const MESSAGE = /^(?:warning|error): .*\n/gm;

/** Without its password or key a line is asked for it, which no program and no record knows. */
function isAskedFor(line: string): boolean {
  const [name = '', ...given] = parseLine(line) as string[];
  const { secret, params } = COMMANDS[name] ?? {};
  const missing = Object.keys((params ?? {}) as Fields).slice(given.length);
  return secret !== undefined && missing.length > 0 && missing.every((one) => secret.includes(one));
}

const way = promptWay(async (line) => {
  if (isAskedFor(line)) throw new Error(`${line} asks`);
  return (await terminal.run(line)).replace(MESSAGE, '');
});

t.test('the recorded sessions', { timeout: 1_200_000 }, async (t) => {
  const session = new FrozenSession(way, folder);
  await session.run();
  t.comment(JSON.stringify(Object.fromEntries(session.counts)));
  for (const { what, wanted, found } of session.differing) t.fail(what, { wanted, found });
  // Of 520: the others are answers to programs that a prompt shows in a form of its own.
  t.equal(session.equal, 463, 'as recorded, but for what the rules name, and times of the own clock');

  await askOtherCommands(t, way, 0);
  const never = Object.keys(COMMANDS).filter((command) => !session.given.has(command) && !(command in OTHERS));
  t.same(never, ['get_tps'], 'every command was typed, but for the one that takes a minute');
});
