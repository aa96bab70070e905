import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { DEV_ACCOUNTS } from '../../src/node/dev/dev-network.js';
import { startDevNode } from '../support/dev-node.js';
import { PseudoTerminal, plain } from '../support/pseudo-terminal.js';
import { rpcCall } from '../support/rpc-call.js';

/** The wallet as somebody has it who sits in front of it: through a pseudo terminal, against a real node. */

const folder = t.testdir();
const dev = await startDevNode(folder);
dev.clock.advance(9_000);
t.teardown(() => dev.node.stop());
const endpoint = dev.node.endpoints.plain;
const file = join(folder, 'wallet.json');
const [alice] = DEV_ACCOUNTS;
const wif = alice?.key.toWif() ?? '';

const open: PseudoTerminal[] = [];
t.teardown(() => {
  for (const one of open) one.stop();
});

async function start(prompt: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  const terminal = new PseudoTerminal(['wallet', '-w', file, '-s', `ws://${endpoint}`, ...args], env);
  open.push(terminal);
  await terminal.until(prompt);
  return terminal;
}

const END = '\u0004';
const INTERRUPT = '\u0003';

t.test('the first start: passwords and keys are asked for, and never shown', async (t) => {
  const terminal = await start('new >>> ');
  t.match(plain(terminal.shown), /Please use the set_password method to initialize a new wallet before continuing\n/);
  terminal.type('set_password\r');
  await terminal.until('password: ');
  terminal.type('correct horse\r');
  await terminal.until('password again: ');
  terminal.type('another\r');
  await terminal.until(/not the same; nothing was changed[\s\S]*new >>> /);
  terminal.type('set_password\r');
  await terminal.until('password: ');
  terminal.type('correct horse\r');
  await terminal.until('password again: ');
  terminal.type('correct horse\r');
  await terminal.until('locked >>> ');
  terminal.type('unlock\r');
  await terminal.until('password: ');
  terminal.type('correct horse\r');
  await terminal.until('unlocked >>> ');
  terminal.type('import_key alice\r');
  await terminal.until('wif key: ');
  terminal.type(`${wif}\r`);
  t.match(await terminal.until('unlocked >>> '), /^\s*true\n/);
  t.notMatch(terminal.shown, /correct horse|5J|5K/, 'nothing secret was shown');
  t.match(await terminal.run('get_account_id alice'), /^"1\.2\.\d+"\n$/, 'and a line is shown once');

  t.comment('the arrow up brings back what was typed, but no secret');
  t.match(await terminal.run(`sign_string ${wif} x false`), /^"[0-9a-f]{130}"/);
  terminal.type('\u001b[A');
  await terminal.until('get_account_id alice');
  terminal.type('\r');
  await terminal.until('unlocked >>> ');

  terminal.type(END);
  t.equal(await terminal.ended, 0);
});

async function unlocked(...args: string[]): Promise<PseudoTerminal> {
  const terminal = await start('locked >>> ', args);
  terminal.type('unlock "correct horse"\r');
  await terminal.until('unlocked >>> ');
  return terminal;
}

const balanceOfBob = async (): Promise<string> =>
  JSON.stringify(await rpcCall(endpoint, 'get_named_account_balances', ['bob', ['1.3.1']]));

t.test('before anything is sent it is shown in plain words, and only yes sends it', async (t) => {
  const terminal = await unlocked();
  const before = await balanceOfBob();
  terminal.type('transfer2 alice bob 1.5 GXC "for the data"\r');
  const preview = await terminal.until('send it? (y/N) ');
  for (const line of [/transfer\n/, /from: alice\n/, /to: bob\n/, /amount: 1\.50000 GXC\n/, /memo: "for the data"\n/]) {
    t.match(preview, line);
  }
  t.match(preview, /fee: [\d.]+ GXC\n/);
  t.match(preview, /transaction [0-9a-f]{40}, expires at \d{4}-/);
  terminal.type('\r');
  const declined = await terminal.until('unlocked >>> ');
  t.match(declined, /nothing was sent\n/);
  t.notMatch(declined, /exception|declined|\{\}/, 'who says no has made no mistake');
  dev.clock.advance(3_000);
  t.equal(await balanceOfBob(), before);

  terminal.type('transfer2 alice bob 1.5 GXC "for the data"\r');
  await terminal.until('send it? (y/N) ');
  terminal.type('y\r');
  t.match(await terminal.until('unlocked >>> '), /"[0-9a-f]{40}"/);
  dev.clock.advance(3_000);
  t.not(await balanceOfBob(), before);

  t.comment('Ctrl-C says no as well');
  terminal.type('transfer alice bob 1 GXC "" true\r');
  await terminal.until('send it? (y/N) ');
  terminal.type(INTERRUPT);
  t.match(await terminal.until('unlocked >>> '), /nothing was sent/);
  t.match(
    await terminal.run('transfer alice bob 1 GXC "" false'),
    /"signatures": \[\n/,
    'what is not sent is not asked',
  );
  terminal.type(INTERRUPT);
  t.equal(await terminal.ended, 0, 'on an empty line it ends');
});

t.test('--yes asks nothing, --wait tells until nothing can take it back', async (t) => {
  const terminal = await unlocked('--yes', '--wait', 'irreversible');
  terminal.type('transfer alice bob 1 GXC "" true\r');
  await terminal.until(/transaction [0-9a-f]{40} waits for a block/);
  dev.clock.advance(3_000);
  await terminal.until(/is in block \d+/);
  for (let n = 0; n < 12; n++) dev.clock.advance(3_000);
  await terminal.until(/is irreversible in block \d+/);
  await terminal.until('unlocked >>> ');
  t.notMatch(terminal.shown, /send it\?/);

  t.comment('Ctrl-C stops the waiting, not the wallet');
  terminal.type('transfer alice bob 1 GXC "" true\r');
  await terminal.until(/waits for a block/);
  terminal.type(INTERRUPT);
  await terminal.until(/is no longer waited for/);
  await terminal.until('unlocked >>> ');
  terminal.type(END);
  t.equal(await terminal.ended, 0);
});

t.test('Tab completes commands, accounts and assets', async (t) => {
  const terminal = await start('locked >>> ');
  terminal.type('get_account_c\t');
  await terminal.until('get_account_count ');
  terminal.type('\r');
  await terminal.until('>>> ');
  terminal.type('get_account_id bo\t');
  await terminal.until('get_account_id bob');
  terminal.type('\r');
  t.match(await terminal.until('>>> '), /"1\.2\.\d+"/);
  terminal.type('get_asset gx\t');
  await terminal.until(/get_asset GX/);
  terminal.type(INTERRUPT);
  await terminal.until('>>> ');
  terminal.type('get_block\t');
  await pause(500);
  terminal.type('\t');
  await terminal.until(/get_block_by_id/);
  terminal.type(INTERRUPT);
  await terminal.until('>>> ');
  terminal.type(END);
  await terminal.ended;
});

t.test('JSON may go over several lines', async (t) => {
  const terminal = await start('locked >>> ');
  terminal.type('get_transaction_id {"operations":\r');
  await terminal.until('... ');
  terminal.type('  [ ],\r');
  await terminal.until('... ');
  terminal.type('"expiration":"2027-01-01T00:00:00"}\r');
  t.match(await terminal.until('>>> '), /"[0-9a-f]{40}"/);
  terminal.type('get_object {\r');
  await terminal.until('... ');
  terminal.type(INTERRUPT);
  await terminal.until('locked >>> ');
  t.match(await terminal.run('is_locked'), /^true\n/, 'what was begun is given up');
  terminal.type(END);
  await terminal.ended;
});

t.test('an idle prompt locks itself and says so', async (t) => {
  const terminal = await unlocked('--lock-after', '1');
  await terminal.until('locked >>> ');
  t.match(await terminal.run('is_locked'), /^true\n/);
  terminal.type(END);
  await terminal.ended;
});

t.test('colours are for terminals that want them', async (t) => {
  const coloured = await start('>>> ', [], { NO_COLOR: '' });
  t.ok(coloured.shown.includes('\u001b[32mlocked\u001b[0m >>> '));
  coloured.type('get_account_id nobody-at-all\r');
  await coloured.until('\u001b[31m10 assert_exception');
  coloured.type(END);
  await coloured.ended;
  const plainOne = await start('locked >>> ');
  t.notOk(plainOne.shown.includes('\u001b[3'));
  plainOne.type(END);
  await plainOne.ended;
  t.notMatch(readFileSync(file, 'utf8'), /correct horse/);
});

t.test('secrets are not offered again, however the command is written', async (t) => {
  const terminal = await unlocked();
  await terminal.run('is_new');
  for (const line of [`"sign_string" ${wif} x false`, `,sign_string ${wif} x false`]) {
    t.match(await terminal.run(line), /^"[0-9a-f]{130}"/);
  }
  terminal.type('import_keys alice [\r');
  await terminal.until('... ');
  terminal.type(`"${wif}"]\r`);
  t.match(await terminal.until('unlocked >>> '), /true/);
  terminal.type('\u001b[A');
  t.notMatch(await terminal.until('is_new'), wif);
  terminal.type('\r');
  await terminal.until('unlocked >>> ');

  t.comment('and a password may begin like a list');
  for (const answer of ['password: ', 'password again: ']) {
    if (answer === 'password: ') terminal.type('set_password\r');
    await terminal.until(answer);
    terminal.type('["horse"] battery\r');
  }
  t.match(await terminal.until('locked >>> '), /null/);
  terminal.type('unlock\r');
  await terminal.until('password: ');
  terminal.type('["horse"] battery\r');
  t.match(await terminal.until('unlocked >>> '), /null/);
  t.notMatch(terminal.shown, 'horse"]');
  terminal.type(END);
  await terminal.ended;
});

t.test('another password is typed twice, since nobody sees it', async (t) => {
  const before = readFileSync(file, 'utf8');
  const change = async (...answers: readonly (readonly [question: string, answer: string])[]) => {
    const terminal = new PseudoTerminal(['wallet', 'change-password', '-w', file]);
    open.push(terminal);
    for (const [question, answer] of answers) {
      await terminal.until(question);
      terminal.type(`${answer}\r`);
    }
    return { code: await terminal.ended, shown: plain(terminal.shown) };
  };
  const old = ['Password until now: ', '["horse"] battery'] as const;
  const mistyped = await change(old, ['New password: ', 'staple'], ['New password again: ', 'stable']);
  t.equal(mistyped.code, 1);
  t.match(mistyped.shown, 'the two are not the same; nothing was changed');
  t.equal(readFileSync(file, 'utf8'), before);
  const changed = await change(old, ['New password: ', 'staple'], ['New password again: ', 'staple']);
  t.equal(changed.code, 0);
  t.match(changed.shown, 'the password is changed');
  t.not(readFileSync(file, 'utf8'), before);
  t.notMatch(changed.shown, /staple|horse/);
});
