#!/usr/bin/env -S node --stack-size=6500 --max-semi-space-size=64
import './arm-crash-point.js';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { ChainError } from '../base/errors.js';
import { COMMANDS } from '../commands/index.js';
import { VERSION } from '../node/runtime/project.js';
import { hasStackFlag, leaveWithParent, runWithLargerStack } from './larger-stack.js';

const EXIT_REFUSED = 1;
const EXIT_USAGE = 2;

leaveWithParent();
const words = hideBin(process.argv);
let parser = yargs(words)
  .scriptName('trustnode')
  .usage('$0 <command> [options]')
  .version(VERSION)
  .help()
  .alias('h', 'help')
  .alias('v', 'version')
  .strict()
  .demandCommand(1, 'Name a command, for example: trustnode start')
  .recommendCommands()
  .wrap(Math.min(110, process.stdout.columns ?? 110))
  .fail((message, error) => {
    // A mistake on the command line also comes as an error of the parser's own kind.
    if (error !== undefined && error !== null && error.name !== 'YError') throw error;
    process.stderr.write(`${message}\nTry: trustnode --help\n`);
    process.exit(EXIT_USAGE);
  });
// One command is loaded when it is named; all of them only to be listed or to find what was meant.
const named = COMMANDS[words[0] ?? ''];
for (const load of named === undefined ? Object.values(COMMANDS) : [named]) {
  const command = await load();
  parser = parser.command(
    command.command,
    command.describe,
    (y) => command.builder(y),
    async (args) => {
      if (command.appliesBlocks === true) {
        if (!hasStackFlag()) process.exit(await runWithLargerStack());
        (await import('../vm/native-stack.js')).checkNativeStack();
      }
      return command.handler(args);
    },
  );
}

try {
  await parser.parseAsync();
} catch (error) {
  if (!(error instanceof ChainError)) throw error;
  process.stderr.write(`${error.row.name} (${error.code}) ${error.key}: ${error.message}\n`);
  for (const frame of error.context) if (frame.text !== '') process.stderr.write(`  ${frame.text}\n`);
  process.exitCode = EXIT_REFUSED;
}
